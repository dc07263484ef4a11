// The turn of one op, given back when it ends.
#pragma once

#include "models/core/turns.hpp"
#include "models/engine/core.hpp"

namespace vcore::core {

/// Ends the turn of an op, also when the calling process is killed inside it.
class Turn {
public:
    Turn(Turns& turns, const engine::Core& engine) : turns_(turns), engine_(engine) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { turns_.give(engine_.in_vf()); }

private:
    Turns& turns_;
    const engine::Core& engine_;
};

}  // namespace vcore::core
