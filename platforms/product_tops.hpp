// One top per product, for benches that are about one product: `platforms::Ascend950 top("top");`.
//
// Each is Top with the product's own file; `overrides` are "key=value" as on the command line. `mode`: as of Top. A
// bench that takes the product as an argument uses Top with load_product(). Source: `isa.md` "Products".
#pragma once

#include <string>
#include <vector>

#include "platforms/products.hpp"
#include "platforms/top.hpp"

namespace vcore::platforms {

using Overrides = std::vector<std::string>;

/// Ascend 950PR and 950DT, Atlas 350 card (architecture 3510).
class Ascend950 : public Top {
public:
    explicit Ascend950(sc_core::sc_module_name name, const Overrides& overrides = {},
                       engine::Mode mode = engine::Mode::loosely_timed)
        : Top(name, load_product("ascend950", overrides), mode) {}
};

/// Atlas A3 training and inference (2201).
class AtlasA3 : public Top {
public:
    explicit AtlasA3(sc_core::sc_module_name name, const Overrides& overrides = {},
                     engine::Mode mode = engine::Mode::loosely_timed)
        : Top(name, load_product("atlas-a3", overrides), mode) {}
};

/// Atlas A2 training and inference (2201).
class AtlasA2 : public Top {
public:
    explicit AtlasA2(sc_core::sc_module_name name, const Overrides& overrides = {},
                     engine::Mode mode = engine::Mode::loosely_timed)
        : Top(name, load_product("atlas-a2", overrides), mode) {}
};

/// Atlas 200I/500 A2 inference (3002).
class Atlas200I500A2 : public Top {
public:
    explicit Atlas200I500A2(sc_core::sc_module_name name, const Overrides& overrides = {},
                            engine::Mode mode = engine::Mode::loosely_timed)
        : Top(name, load_product("atlas-200i-500-a2", overrides), mode) {}
};

/// Atlas inference series, AI Core (2002).
class AtlasInferenceAiCore : public Top {
public:
    explicit AtlasInferenceAiCore(sc_core::sc_module_name name, const Overrides& overrides = {},
                                  engine::Mode mode = engine::Mode::loosely_timed)
        : Top(name, load_product("atlas-inference-aicore", overrides), mode) {}
};

/// Atlas inference series, Vector Core (2002).
class AtlasInferenceVectorCore : public Top {
public:
    explicit AtlasInferenceVectorCore(sc_core::sc_module_name name, const Overrides& overrides = {},
                                      engine::Mode mode = engine::Mode::loosely_timed)
        : Top(name, load_product("atlas-inference-vectorcore", overrides), mode) {}
};

/// Atlas training series (1001).
class AtlasTraining : public Top {
public:
    explicit AtlasTraining(sc_core::sc_module_name name, const Overrides& overrides = {},
                           engine::Mode mode = engine::Mode::loosely_timed)
        : Top(name, load_product("atlas-training", overrides), mode) {}
};

}  // namespace vcore::platforms
