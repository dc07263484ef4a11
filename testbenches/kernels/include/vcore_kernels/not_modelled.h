// Names of the neighbourhood that are not modelled: a kernel that calls one is told so by name when it is compiled.
#pragma once

#include "testbenches/kernels/include/vcore_kernels/reg.h"
#include "testbenches/kernels/include/vcore_kernels/tensors.h"

// Explicit template arguments of such a call may be types, values or both; each form needs a template of its own.
#define VCORE_NOT_MODELLED(name, first)                                                         \
    template <typename... Named, typename T, typename... Rest>                                  \
    inline void name(first, Rest&&...) {                                                        \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: " #name);            \
    }                                                                                           \
    template <typename A, auto value, auto... values, typename T, typename... Rest>             \
    inline void name(first, Rest&&...) {                                                        \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: " #name);            \
    }                                                                                           \
    template <typename A, typename B, auto value, auto... values, typename T, typename... Rest> \
    inline void name(first, Rest&&...) {                                                        \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: " #name);            \
    }                                                                                           \
    template <typename A, typename B, const auto& value, typename T, typename... Rest>          \
    inline void name(first, Rest&&...) {                                                        \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: " #name);            \
    }                                                                                           \
    template <auto value, auto... values, typename T, typename... Rest>                         \
    inline void name(first, Rest&&...) {                                                        \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: " #name);            \
    }

#define VCORE_NOT_MODELLED_REG(name)                                                                          \
    template <typename... Named, typename T, const RegTrait& trait, typename... Rest>                         \
    inline void name(RegTensor<T, trait>&, Rest&&...) {                                                       \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: Reg::" #name);                     \
    }                                                                                                         \
    template <typename A, auto value, auto... values, typename T, const RegTrait& trait, typename... Rest>    \
    inline void name(RegTensor<T, trait>&, Rest&&...) {                                                       \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: Reg::" #name);                     \
    }                                                                                                         \
    template <typename A, typename B, const auto& value, typename T, const RegTrait& trait, typename... Rest> \
    inline void name(RegTensor<T, trait>&, Rest&&...) {                                                       \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: Reg::" #name);                     \
    }                                                                                                         \
    template <auto value, auto... values, typename T, const RegTrait& trait, typename... Rest>                \
    inline void name(RegTensor<T, trait>&, Rest&&...) {                                                       \
        static_assert(::vcore::kernels::kNever<T, Rest...>, "not modelled: Reg::" #name);                     \
    }
#define VCORE_NOT_MODELLED_MASK(name)                                                                \
    template <typename... Named, typename First, typename... Rest>                                   \
    inline std::enable_if_t<std::is_same_v<std::decay_t<First>, MaskReg>> name(First&&, Rest&&...) { \
        static_assert(::vcore::kernels::kNever<First, Rest...>, "not modelled: Reg::" #name);        \
    }

namespace AscendC {
namespace Reg {

VCORE_NOT_MODELLED_REG(Sub)
VCORE_NOT_MODELLED_REG(Subs)
VCORE_NOT_MODELLED_REG(Mul)
VCORE_NOT_MODELLED_REG(Muls)
VCORE_NOT_MODELLED_REG(Div)
VCORE_NOT_MODELLED_REG(Max)
VCORE_NOT_MODELLED_REG(Maxs)
VCORE_NOT_MODELLED_REG(Min)
VCORE_NOT_MODELLED_REG(Mins)
VCORE_NOT_MODELLED_REG(Abs)
VCORE_NOT_MODELLED_REG(Neg)
VCORE_NOT_MODELLED_REG(Relu)
VCORE_NOT_MODELLED_REG(LeakyRelu)
VCORE_NOT_MODELLED_REG(Prelu)
VCORE_NOT_MODELLED_REG(Exp)
VCORE_NOT_MODELLED_REG(Ln)
VCORE_NOT_MODELLED_REG(Log)
VCORE_NOT_MODELLED_REG(Log2)
VCORE_NOT_MODELLED_REG(Log10)
VCORE_NOT_MODELLED_REG(Sqrt)
VCORE_NOT_MODELLED_REG(Cast)
VCORE_NOT_MODELLED_REG(Truncate)
VCORE_NOT_MODELLED_REG(Select)
VCORE_NOT_MODELLED_REG(Arange)
VCORE_NOT_MODELLED_REG(ReduceSum)
VCORE_NOT_MODELLED_REG(ReduceMax)
VCORE_NOT_MODELLED_REG(ReduceMin)
VCORE_NOT_MODELLED_REG(Reduce)
VCORE_NOT_MODELLED_REG(ReduceDataBlock)
VCORE_NOT_MODELLED_REG(PairReduceSum)
VCORE_NOT_MODELLED_REG(PairReduceElem)
VCORE_NOT_MODELLED_REG(ShiftLeft)
VCORE_NOT_MODELLED_REG(ShiftLefts)
VCORE_NOT_MODELLED_REG(ShiftRight)
VCORE_NOT_MODELLED_REG(ShiftRights)
VCORE_NOT_MODELLED_REG(And)
VCORE_NOT_MODELLED_REG(Or)
VCORE_NOT_MODELLED_REG(Xor)
VCORE_NOT_MODELLED_REG(Not)
VCORE_NOT_MODELLED_REG(MulAddDst)
VCORE_NOT_MODELLED_REG(MulDstAdd)
VCORE_NOT_MODELLED_REG(FusedMulDstAdd)
VCORE_NOT_MODELLED_REG(Axpy)
VCORE_NOT_MODELLED_REG(AbsSub)
VCORE_NOT_MODELLED_REG(ExpSub)
VCORE_NOT_MODELLED_REG(FusedExpSub)
VCORE_NOT_MODELLED_REG(MulsCast)
VCORE_NOT_MODELLED_REG(Mull)
VCORE_NOT_MODELLED_REG(AddCarryOut)
VCORE_NOT_MODELLED_REG(Squeeze)
VCORE_NOT_MODELLED_REG(Unsqueeze)
VCORE_NOT_MODELLED_REG(Interleave)
VCORE_NOT_MODELLED_REG(DeInterleave)
VCORE_NOT_MODELLED_REG(Pack)
VCORE_NOT_MODELLED_REG(UnPack)
VCORE_NOT_MODELLED_REG(LoadUnAlign)
VCORE_NOT_MODELLED_REG(Histograms)
VCORE_NOT_MODELLED_MASK(Compare)
VCORE_NOT_MODELLED_MASK(CompareScalar)
VCORE_NOT_MODELLED_MASK(Compares)
VCORE_NOT_MODELLED_MASK(MaskAnd)
VCORE_NOT_MODELLED_MASK(MaskOr)
VCORE_NOT_MODELLED_MASK(MaskXor)
VCORE_NOT_MODELLED_MASK(MaskNot)
VCORE_NOT_MODELLED_MASK(MaskSel)
VCORE_NOT_MODELLED_MASK(MaskMov)
VCORE_NOT_MODELLED_MASK(MaskPack)
VCORE_NOT_MODELLED_MASK(MaskUnPack)
VCORE_NOT_MODELLED_MASK(MaskInterleave)
VCORE_NOT_MODELLED_MASK(MaskDeInterleave)
VCORE_NOT_MODELLED_MASK(And)
VCORE_NOT_MODELLED_MASK(Or)
VCORE_NOT_MODELLED_MASK(Xor)
VCORE_NOT_MODELLED_MASK(Not)

/// Move and Duplicate are modelled, these forms of them are not.
template <typename First, typename... Rest>
inline std::enable_if_t<std::is_same_v<First, MaskReg>> Move(First&, MaskReg&, Rest&&...) {
    static_assert(::vcore::kernels::kNever<First, Rest...>,
                  "not modelled: Reg::Move of masks; assignment copies a MaskReg");
}
template <typename T = DefaultType, typename... Named, typename U, rules::IfReg<U> = 0>
inline void Duplicate(U&, U&, MaskReg&) {
    static_assert(::vcore::kernels::kNever<U>, "not modelled: Reg::Duplicate of an element of a register");
}

}  // namespace Reg

#define VCORE_TENSOR(name) VCORE_NOT_MODELLED(name, const LocalTensor<T>&)
VCORE_TENSOR(Sub)
VCORE_TENSOR(Mul)
VCORE_TENSOR(Div)
VCORE_TENSOR(Max)
VCORE_TENSOR(Min)
VCORE_TENSOR(Adds)
VCORE_TENSOR(Muls)
VCORE_TENSOR(Maxs)
VCORE_TENSOR(Mins)
VCORE_TENSOR(Abs)
VCORE_TENSOR(Exp)
VCORE_TENSOR(Ln)
VCORE_TENSOR(Sqrt)
VCORE_TENSOR(Rsqrt)
VCORE_TENSOR(Reciprocal)
VCORE_TENSOR(Relu)
VCORE_TENSOR(LeakyRelu)
VCORE_TENSOR(Axpy)
VCORE_TENSOR(Cast)
VCORE_TENSOR(Duplicate)
VCORE_TENSOR(Compare)
VCORE_TENSOR(CompareScalar)
VCORE_TENSOR(Select)
VCORE_TENSOR(Gather)
VCORE_TENSOR(Gatherb)
VCORE_TENSOR(GatherMask)
VCORE_TENSOR(ReduceSum)
VCORE_TENSOR(ReduceMax)
VCORE_TENSOR(ReduceMin)
VCORE_TENSOR(WholeReduceSum)
VCORE_TENSOR(WholeReduceMax)
VCORE_TENSOR(WholeReduceMin)
VCORE_TENSOR(BlockReduceSum)
VCORE_TENSOR(BlockReduceMax)
VCORE_TENSOR(BlockReduceMin)
VCORE_TENSOR(PairReduceSum)
VCORE_TENSOR(RepeatReduceSum)
VCORE_TENSOR(ShiftLeft)
VCORE_TENSOR(ShiftRight)
VCORE_TENSOR(And)
VCORE_TENSOR(Or)
VCORE_TENSOR(Not)
VCORE_TENSOR(Brcb)
VCORE_TENSOR(Broadcast)
VCORE_TENSOR(Transpose)
VCORE_TENSOR(TransDataTo5HD)
VCORE_TENSOR(CreateVecIndex)
VCORE_TENSOR(ArithProgression)
VCORE_TENSOR(Arange)
VCORE_TENSOR(Sort)
VCORE_TENSOR(Sort32)
VCORE_TENSOR(MrgSort)
VCORE_TENSOR(Extract)
VCORE_TENSOR(Concat)
VCORE_TENSOR(Copy)
VCORE_TENSOR(Mmad)
VCORE_TENSOR(LoadData)
VCORE_TENSOR(Fixpipe)
VCORE_TENSOR(DumpTensor)
#undef VCORE_TENSOR

}  // namespace AscendC

#undef VCORE_NOT_MODELLED
#undef VCORE_NOT_MODELLED_REG
#undef VCORE_NOT_MODELLED_MASK
