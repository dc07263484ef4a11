// The tables of load and store modes, copied from `isa.md` "Contiguous load and store" as numbers.
#pragma once

#include <cstdint>

#include "models/isa/ops.hpp"

namespace vcore::reference {

/// How elements in UB become lanes.
enum class Spread { one_to_all, block_to_all, each_twice, every_other, in_order, each_a_block, alternately };

struct LoadRow {
    int ub_width;        ///< bytes of an element in UB; 0: those of the op's type
    int register_width;  ///< bytes of a lane; 0: those of the op's type
    int bytes;           ///< read
    int alignment;
    int registers;
    Spread spread;

    /// The element of the UB that lane `lane` of register `number` (0, 1) gets.
    int element_of(int lane, int number, int width) const {
        switch (spread) {
            case Spread::one_to_all: return 0;
            case Spread::block_to_all: return lane % (32 / width);
            case Spread::each_twice: return lane / 2;
            case Spread::every_other: return 2 * lane;
            case Spread::in_order: return lane;
            case Spread::each_a_block: return lane * width / 32;
            case Spread::alternately: return 2 * lane + number;
        }
        return -1;
    }
};

inline LoadRow load_row(isa::LoadMode mode) {
    using Mode = isa::LoadMode;
    switch (mode) {
        case Mode::norm: break;
        case Mode::brc_b8: return {1, 1, 1, 1, 1, Spread::one_to_all};
        case Mode::brc_b16: return {2, 2, 2, 2, 1, Spread::one_to_all};
        case Mode::brc_b32: return {4, 4, 4, 4, 1, Spread::one_to_all};
        case Mode::blk: return {0, 0, 32, 32, 1, Spread::block_to_all};
        case Mode::us_b8: return {1, 1, 256 / 2, 32, 1, Spread::each_twice};
        case Mode::us_b16: return {2, 2, 256 / 2, 32, 1, Spread::each_twice};
        case Mode::ds_b8: return {1, 1, 2 * 256, 32, 1, Spread::every_other};
        case Mode::ds_b16: return {2, 2, 2 * 256, 32, 1, Spread::every_other};
        case Mode::unpack_b8: return {1, 2, 256 / 2, 32, 1, Spread::in_order};
        case Mode::unpack_b16: return {2, 4, 256 / 2, 32, 1, Spread::in_order};
        case Mode::unpack_b32: return {4, 8, 256 / 2, 32, 1, Spread::in_order};
        case Mode::unpack4_b8: return {1, 4, 256 / 4, 32, 1, Spread::in_order};
        case Mode::e2b_b16: return {2, 2, 256 / 16, 256 / 16, 1, Spread::each_a_block};
        case Mode::e2b_b32: return {4, 4, 256 / 8, 256 / 8, 1, Spread::each_a_block};
        case Mode::dintlv_b8: return {1, 1, 2 * 256, 32, 2, Spread::alternately};
        case Mode::dintlv_b16: return {2, 2, 2 * 256, 32, 2, Spread::alternately};
        case Mode::dintlv_b32: return {4, 4, 2 * 256, 32, 2, Spread::alternately};
    }
    return {};
}

/// Element e of the UB is the low part of lane e / registers of register e % registers.
struct StoreRow {
    int register_width;  ///< bytes of a lane
    int ub_width;        ///< bytes of an element in UB
    int elements;
    int alignment;
    int registers;
    bool masked;
};

inline StoreRow store_row(isa::StoreMode mode) {
    using Mode = isa::StoreMode;
    switch (mode) {
        case Mode::norm: break;
        case Mode::first_element_b8: return {1, 1, 1, 1, 1, false};
        case Mode::first_element_b16: return {2, 2, 1, 2, 1, false};
        case Mode::first_element_b32: return {4, 4, 1, 4, 1, false};
        case Mode::pack_b16: return {2, 1, 128, 32, 1, true};
        case Mode::pack_b32: return {4, 2, 64, 32, 1, true};
        case Mode::pack_b64: return {8, 4, 32, 32, 1, true};
        case Mode::pack4_b32: return {4, 1, 64, 32, 1, true};
        case Mode::intlv_b8: return {1, 1, 512, 32, 2, false};
        case Mode::intlv_b16: return {2, 2, 256, 32, 2, false};
        case Mode::intlv_b32: return {4, 4, 128, 32, 2, false};
    }
    return {};
}

}  // namespace vcore::reference
