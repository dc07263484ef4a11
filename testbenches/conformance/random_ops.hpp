// Random programs for whole platforms: mostly legal ops of every kind, with barriers and some mistakes in between.
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/ops.hpp"
#include "testbenches/conformance/prober.hpp"
#include "testbenches/unit/random.hpp"

namespace vcore::conformance {

/// A UB full of small multiples of 8 as u32: as indices, of either width, and as offsets they mostly stay inside.
inline Bytes random_memory(unit::Random& random, std::size_t bytes) {
    Bytes memory(bytes);
    for (std::size_t i = 0; i + 4 <= bytes; i += 4) {
        const auto value = static_cast<std::uint32_t>(random.below(1024) * 8);
        memory[i] = static_cast<unsigned char>(value);
        memory[i + 1] = static_cast<unsigned char>(value >> 8);
    }
    return memory;
}

class RandomOps {
public:
    explicit RandomOps(unit::Random& random) : random_(random) {}

    isa::Op in_function() {
        using isa::ElementType;
        const ElementType word = type({ElementType::u32, ElementType::s32, ElementType::f32});
        const ElementType half_word = type({ElementType::u16, ElementType::s16, ElementType::half});
        const ElementType type_of_op = random_.one_in(2) ? word : half_word;
        const ElementType index = type_of_op == word ? ElementType::u32 : ElementType::u16;
        switch (random_.below(23)) {
            case 0: return isa::Barrier{static_cast<isa::BarrierKind>(random_.below(isa::kBarrierKinds))};
            case 1: return isa::CreateMask{type_of_op, m(), static_cast<isa::MaskPattern>(random_.below(15))};
            case 2: return isa::UpdateMask{type_of_op, m(), random_.between(0, 200)};
            case 3: return isa::MaskGen{type_of_op, m(), v(), random_.between(0, 16)};
            case 4: return isa::MaskLoad{m(), address(), static_cast<isa::MaskLoadMode>(random_.below(3)), step()};
            case 5: return isa::MaskStore{address(), m(), static_cast<isa::MaskStoreMode>(random_.below(2)), step()};
            case 6: return isa::Load{type_of_op, v(), address(), step()};
            case 7: return isa::Load{ElementType::u64, pair(), address()};
            case 8: return isa::Store{type_of_op, address(), v(), m(), step()};
            case 9: return isa::Store{ElementType::s64, address(), pair(), m()};
            case 10: return isa::BlockLoad{type_of_op, v(), address(), random_.between(0, 40), m(), step()};
            case 11: return isa::BlockStore{type_of_op, address(), v(), random_.between(0, 40), m(), step()};
            case 12: return isa::Gather{type_of_op, type_of_op, index, v(), address(), v(), m()};
            case 13:
                return isa::Gather{ElementType::u64, ElementType::u64, ElementType::u32, pair(), address(), v(), m()};
            case 14: return isa::GatherBlock{type_of_op, v(), address(), v(), m()};
            case 15: return isa::GatherRegister{type_of_op, v(), v(), v()};
            case 16: return isa::Scatter{type_of_op, index, address(), v(), v(), m()};
            case 17: return isa::Duplicate{type_of_op, v(), random_.below(1024) * 8};
            case 18: return isa::Duplicate{type_of_op, v(), random_.below(1024) * 8, m()};
            case 19: return isa::Move{type_of_op, v(), v(), m()};
            case 20: return load_in_mode();
            case 21: return store_in_mode();
            default: return isa::Adds{word == ElementType::f32 ? ElementType::u32 : word, v(), v(), 8, m()};
        }
    }

    isa::Op outside() {
        isa::TensorScatter scatter;
        scatter.type =
            type({isa::ElementType::half, isa::ElementType::u32, isa::ElementType::s8, isa::ElementType::u64});
        scatter.dst = address();
        scatter.src = address();
        scatter.offset = address();
        scatter.base = static_cast<std::int64_t>(random_.below(8)) * 8;
        scatter.form = static_cast<isa::TensorScatterForm>(random_.below(3));
        scatter.count = random_.between(0, 300);
        scatter.mask_low = scatter.form == isa::TensorScatterForm::bit_mask ? random_.bits() : random_.below(70);
        scatter.repeat = random_.between(0, 4);
        scatter.stride = random_.between(0, 10);
        return scatter;
    }

private:
    isa::ElementType type(std::initializer_list<isa::ElementType> types) { return random_.pick(types); }
    // A register number is wrong once in a while, an address misaligned or near the end of the UB.
    isa::VregId v() { return isa::VregId{random_.one_in(100) ? 32 : random_.between(0, 31)}; }
    isa::MregId m() { return isa::MregId{random_.one_in(100) ? 8 : random_.between(0, 7)}; }
    isa::VectorOperand pair() {
        const std::int64_t low = random_.between(0, 30);
        return {isa::VregId{low}, isa::VregId{low + 1}};
    }
    isa::UbAddress address() {
        std::int64_t address = random_.between(0, 200000 / 32) * 32;
        if (random_.one_in(40)) address = 0x40000 - random_.between(0, 20) * 32;
        if (random_.one_in(60)) address += random_.between(1, 31);
        return isa::UbAddress{address};
    }
    isa::Op load_in_mode() {
        isa::Load load;
        load.mode = static_cast<isa::LoadMode>(random_.below(isa::kLoadModes));
        const isa::ModeShape shape = isa::shape_of(load.mode);
        load.type = bits(shape.element_bytes);
        if (shape.two_registers) load.dst = pair();
        if (!shape.two_registers) load.dst = v();
        load.address = address();
        load.post_update = step();
        return load;
    }
    isa::Op store_in_mode() {
        isa::Store store;
        store.mode = static_cast<isa::StoreMode>(random_.below(isa::kStoreModes));
        const isa::ModeShape shape = isa::shape_of(store.mode);
        store.type = bits(shape.element_bytes);
        store.address = address();
        if (shape.two_registers) store.src = pair();
        if (!shape.two_registers) store.src = v();
        store.mask = m();
        store.post_update = step();
        return store;
    }
    static isa::ElementType bits(std::size_t bytes) {
        switch (bytes) {
            case 1: return isa::ElementType::b8;
            case 2: return isa::ElementType::b16;
            case 8: return isa::ElementType::b64;
            default: return isa::ElementType::b32;
        }
    }
    std::int64_t step() { return random_.one_in(3) ? random_.between(-64, 64) : 0; }

    unit::Random& random_;
};

/// Some vector functions with tensor ops between them; now and then an op on the wrong side of VfBegin or VfEnd.
inline std::vector<isa::Op> random_program(unit::Random& random) {
    RandomOps ops(random);
    std::vector<isa::Op> program;
    for (std::uint64_t function = 1 + random.below(3); function > 0; --function) {
        if (random.one_in(2)) program.push_back(ops.outside());
        if (random.one_in(20)) program.push_back(ops.in_function());
        program.emplace_back(isa::VfBegin{});
        // Registers that hold something to gather by.
        for (std::int64_t k = 0; k < 32; ++k) {
            if (random.one_in(2)) {
                program.emplace_back(isa::Load{isa::ElementType::u32, isa::VregId{k}, isa::UbAddress{k * 512}});
            }
        }
        for (std::int64_t k = 0; k < 8; ++k) {
            program.emplace_back(isa::CreateMask{random.pick({isa::ElementType::u32, isa::ElementType::u16}),
                                                 isa::MregId{k}, isa::MaskPattern::all});
        }
        for (std::uint64_t length = 5 + random.below(40); length > 0; --length) program.push_back(ops.in_function());
        if (random.one_in(20)) program.push_back(ops.outside());
        program.emplace_back(isa::VfEnd{});
    }
    return program;
}

}  // namespace vcore::conformance
