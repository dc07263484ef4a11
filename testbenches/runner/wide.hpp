// Whole numbers of 128 bits: sums and products of two 64-bit numbers that cannot overflow.
#pragma once

namespace vcore::runner {

__extension__ typedef __int128 Wide;

}  // namespace vcore::runner
