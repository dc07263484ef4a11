/* The vector core as a C library: one core with its registers, Unified Buffer and transfers, without SystemC.
 *
 * For benches in any simulator or language: C, C++, SystemVerilog over DPI-C, Python over ctypes. It stands on the
 * same core as the SystemC platform tops and gives the same bytes and cycles as they do.
 *
 *     vcore_handle core;
 *     if (vcore_create("ascend950", NULL, 0, VCORE_MODE_AT, &core) != VCORE_OK) puts(vcore_last_error());
 *
 * Calls. Every function returns a vcore_status; anything but VCORE_OK and VCORE_REFUSED means that nothing was done,
 * and vcore_last_error() says why. Outputs are written only where the status is VCORE_OK (vcore_issue: or
 * VCORE_REFUSED). Pointers may be NULL only where this file says so.
 *
 * Structures. The caller sets `size` to sizeof of the structure it was compiled with; another size is
 * VCORE_WRONG_SIZE. Fields that an op does not use are not looked at.
 *
 * Handles. A number, never a pointer: a handle that was destroyed, or never made, is VCORE_BAD_HANDLE, for ever.
 *
 * Threads. Different handles may be used by different threads at the same time. One handle may be used by any thread,
 * but by one at a time: a second call meanwhile is VCORE_BUSY. vcore_last_error() is each thread's own.
 *
 * Time. A core has a current cycle, from 0 on. vcore_issue() calls the op at that cycle and moves it to where the next
 * op can be dispatched; vcore_step() moves it on. Bytes change at once, in the order of the calls (isa.md), whatever
 * the cycle. Nothing else makes time pass: placing and reading costs none.
 */
#ifndef VCORE_H
#define VCORE_H

#include <stddef.h>
#include <stdint.h>

#if defined(VCORE_BUILDING_LIBRARY) && defined(__GNUC__)
#define VCORE_API __attribute__((visibility("default")))
#else
#define VCORE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Changes of meaning raise major, additions minor. vcore_version() is the library's, these are the header's. */
#define VCORE_VERSION_MAJOR 1
#define VCORE_VERSION_MINOR 0

typedef uint64_t vcore_handle; /* 0 is never a handle */

typedef enum vcore_status {
    VCORE_OK = 0,
    VCORE_REFUSED = 1,       /* the core refused the op: it changed nothing, vcore_result.fault names the reason */
    VCORE_BAD_HANDLE = 2,    /* never made, or destroyed */
    VCORE_BAD_ARGUMENT = 3,  /* NULL, a number outside its range, an unknown enumerator */
    VCORE_WRONG_SIZE = 4,    /* a structure of another size or version */
    VCORE_SHORT_BUFFER = 5,  /* the text does not fit: *needed says how many bytes it takes */
    VCORE_CONFIGURATION = 6, /* product, JSON or override refused: the text has the place */
    VCORE_UNKNOWN = 7,       /* no such op, diagnostic or ticket (it may have been too long ago) */
    VCORE_PENDING = 8,       /* the op's completion is not known yet: step or finish first */
    VCORE_BUSY = 9,          /* another thread is in a call on this handle */
    VCORE_NO_MEMORY = 10,
    VCORE_DEADLOCK = 11, /* the pipeline can make no progress: the text says who waits for whom */
    VCORE_INTERNAL = 12  /* a broken invariant of the model: please report it */
} vcore_status;

typedef enum vcore_mode {
    VCORE_MODE_LT = 0, /* loosely timed: fast, no contention */
    VCORE_MODE_AT = 1  /* approximately timed: the pipeline cycle by cycle */
} vcore_mode;

/* Element types; B8 … B64 stand for any type of that width. */
typedef enum vcore_type {
    VCORE_S8,
    VCORE_U8,
    VCORE_HIF8,
    VCORE_E8M0,
    VCORE_E5M2,
    VCORE_E4M3,
    VCORE_B8,
    VCORE_S16,
    VCORE_U16,
    VCORE_HALF,
    VCORE_BF16,
    VCORE_B16,
    VCORE_S32,
    VCORE_U32,
    VCORE_FLOAT,
    VCORE_B32,
    VCORE_S64,
    VCORE_U64,
    VCORE_B64
} vcore_type;

/* What an op does, and beside it the fields of vcore_op that it reads; all are described at vcore_op. */
typedef enum vcore_op_kind {
    VCORE_VF_BEGIN,    /* - */
    VCORE_VF_END,      /* - */
    VCORE_BARRIER,     /* mode: vcore_barrier */
    VCORE_CREATE_MASK, /* type, dst (mask), mode: vcore_pattern */
    VCORE_UPDATE_MASK, /* type, dst (mask), count (in/out, lanes), pair */
    VCORE_MASK_GEN,    /* type, dst (mask), src, part */
    VCORE_MASK_LOAD,   /* dst (mask), address (in/out), mode: vcore_mask_mode, post_update (bytes) */
    VCORE_MASK_STORE,  /* address (in/out), src (mask), mode: vcore_mask_mode, post_update (bytes) */
    VCORE_LOAD,        /* type, dst [dst_high, pair], address (in/out), post_update (elements), mode: vcore_load_mode */
    VCORE_STORE,       /* type, address (in/out), src [src_high, pair], mask, post_update (elements), mode:
                          vcore_store_mode */
    VCORE_BLOCK_LOAD,  /* type, dst, address (in/out), stride (blocks), mask, post_update (blocks) */
    VCORE_BLOCK_STORE, /* type, address (in/out), src, stride (blocks), mask, post_update (blocks) */
    VCORE_GATHER,      /* type, src_type, index_type, dst [pair], address, index [index_pair], mask */
    VCORE_GATHER_BLOCK,    /* type, dst, address, index, mask */
    VCORE_GATHER_REGISTER, /* type, dst, src, index */
    VCORE_SCATTER,         /* type, index_type, address, src [src_high, pair], index [index_pair], mask */
    VCORE_TENSOR_SCATTER,  /* type, address, src_address, offset_address, base, mode: vcore_form, count or mask_low and
                              mask_high, repeat, stride (blocks) */
    VCORE_TENSOR_ADD,      /* type, address, src_address, src1_address, count (elements) */
    VCORE_ADD,             /* type, dst, src, src1, mask */
    VCORE_ADDS,            /* type, dst, src, scalar, mask */
    VCORE_DUPLICATE,       /* type, dst, scalar [mask, masked] */
    VCORE_MOVE             /* type, dst, src [mask, masked] */
} vcore_op_kind;

typedef enum vcore_pattern {
    VCORE_PATTERN_ALL,
    VCORE_PATTERN_VL1,
    VCORE_PATTERN_VL2,
    VCORE_PATTERN_VL3,
    VCORE_PATTERN_VL4,
    VCORE_PATTERN_VL8,
    VCORE_PATTERN_VL16,
    VCORE_PATTERN_VL32,
    VCORE_PATTERN_VL64,
    VCORE_PATTERN_VL128,
    VCORE_PATTERN_M3,
    VCORE_PATTERN_M4,
    VCORE_PATTERN_H,
    VCORE_PATTERN_Q,
    VCORE_PATTERN_ALLF
} vcore_pattern;

typedef enum vcore_mask_mode {
    VCORE_MASK_NORM = 0,
    VCORE_MASK_US = 1,  /* loads only */
    VCORE_MASK_DS = 2,  /* loads only */
    VCORE_MASK_PACK = 3 /* stores only */
} vcore_mask_mode;

/* What each moves: isa.md, "Contiguous load and store". DINTLV loads and INTLV stores take two registers (pair). */
typedef enum vcore_load_mode {
    VCORE_LOAD_NORM,
    VCORE_LOAD_BRC_B8,
    VCORE_LOAD_BRC_B16,
    VCORE_LOAD_BRC_B32,
    VCORE_LOAD_BLK,
    VCORE_LOAD_US_B8,
    VCORE_LOAD_US_B16,
    VCORE_LOAD_DS_B8,
    VCORE_LOAD_DS_B16,
    VCORE_LOAD_UNPACK_B8,
    VCORE_LOAD_UNPACK_B16,
    VCORE_LOAD_UNPACK_B32,
    VCORE_LOAD_UNPACK4_B8,
    VCORE_LOAD_E2B_B16,
    VCORE_LOAD_E2B_B32,
    VCORE_LOAD_DINTLV_B8,
    VCORE_LOAD_DINTLV_B16,
    VCORE_LOAD_DINTLV_B32
} vcore_load_mode;

typedef enum vcore_store_mode {
    VCORE_STORE_NORM,
    VCORE_STORE_FIRST_ELEMENT_B8,
    VCORE_STORE_FIRST_ELEMENT_B16,
    VCORE_STORE_FIRST_ELEMENT_B32,
    VCORE_STORE_PACK_B16,
    VCORE_STORE_PACK_B32,
    VCORE_STORE_PACK_B64,
    VCORE_STORE_PACK4_B32,
    VCORE_STORE_INTLV_B8,
    VCORE_STORE_INTLV_B16,
    VCORE_STORE_INTLV_B32
} vcore_store_mode;

typedef enum vcore_form { VCORE_FORM_COUNT, VCORE_FORM_CONTIGUOUS_MASK, VCORE_FORM_BIT_MASK } vcore_form;

typedef enum vcore_barrier {
    VCORE_VST_VLD,
    VCORE_VLD_VST,
    VCORE_VST_VST,
    VCORE_VV_ALL,
    VCORE_VS_ALL,
    VCORE_VST_LD,
    VCORE_VLD_ST,
    VCORE_VST_ST,
    VCORE_SV_ALL,
    VCORE_ST_VLD,
    VCORE_LD_VST,
    VCORE_ST_VST,
    VCORE_SS_ALL,
    VCORE_LD_ST,
    VCORE_ST_LD,
    VCORE_ST_ST
} vcore_barrier;

#define VCORE_OP_VERSION 1u

/* One op. Numbers are as wide as a caller's may be: an illegal one is refused by name, never truncated. */
typedef struct vcore_op {
    uint32_t size;    /* sizeof(vcore_op) */
    uint32_t version; /* VCORE_OP_VERSION */
    uint32_t kind;    /* vcore_op_kind */
    uint32_t line;    /* source line that diagnostics name, 0: none */
    uint32_t type;    /* vcore_type of the data; gather: of the destination */
    uint32_t src_type;
    uint32_t index_type;
    uint32_t mode;
    uint32_t pair;       /* 1: dst_high or src_high hold the high words of 64-bit elements, else 0 */
    uint32_t index_pair; /* 1: index_high holds the high words of 64-bit indices, else 0 */
    uint32_t masked;     /* where the mask may be left out: 1 `mask` counts, 0 all lanes */
    uint32_t reserved;
    int64_t dst; /* register numbers: vector 0..31, mask 0..7 */
    int64_t dst_high;
    int64_t src;
    int64_t src_high;
    int64_t src1;
    int64_t index;
    int64_t index_high;
    int64_t mask;
    int64_t address; /* UB byte addresses; `address` is base or destination where there are several */
    int64_t src_address;
    int64_t src1_address;
    int64_t offset_address;
    int64_t base; /* tensor scatter: bytes added to the destination */
    int64_t count;
    int64_t part;
    int64_t repeat;
    int64_t stride;
    int64_t post_update;
    uint64_t scalar; /* bit pattern of one element */
    uint64_t mask_low;
    uint64_t mask_high;
} vcore_op;

/* What came of an op or a transfer; cycles since reset. */
typedef struct vcore_result {
    uint32_t size;  /* sizeof(vcore_result) */
    uint32_t fault; /* index into the table of vcore_fault_name(), 0: none */
    uint64_t ticket;
    uint64_t dispatch_cycle; /* the next op can be dispatched here */
    uint64_t issue_cycle;    /* meaningful where pending is 0 */
    uint64_t complete_cycle; /* meaningful where pending is 0 */
    uint32_t pending;        /* 1: not known yet, ask vcore_completion() after a step */
    uint32_t reserved;
} vcore_result;

typedef enum vcore_severity { VCORE_INFO, VCORE_WARNING, VCORE_ERROR } vcore_severity;

/* One line of the report, without its text. Equal diagnostics of a line are one entry with a count. */
typedef struct vcore_diagnostic {
    uint32_t size;       /* sizeof(vcore_diagnostic) */
    uint32_t severity;   /* vcore_severity */
    uint32_t id;         /* index into the table of vcore_fault_name() */
    uint32_t line;       /* 0: none */
    uint32_t other_line; /* hazards: of the earlier access */
    int32_t lane;        /* -1: none */
    uint32_t has_address;
    uint32_t reserved;
    int64_t address;
    uint64_t op_index; /* of the first occurrence */
    uint64_t count;
} vcore_diagnostic;

/* Totals since reset; the report's keys of the same names. */
typedef struct vcore_statistics {
    uint32_t size; /* sizeof(vcore_statistics) */
    uint32_t reserved;
    uint64_t ops;
    uint64_t refused;
    uint64_t vf_calls;
    uint64_t vf_cycles;
    uint64_t load_conflict_cycles;
    uint64_t store_conflict_cycles;
    uint64_t sub_bank_stall_cycles;
    uint64_t last_completion;
} vcore_statistics;

/* ---- the library */

/* "1.0": major.minor of the library. */
VCORE_API const char* vcore_version(void);
/* Why the last call of this thread that did not return VCORE_OK did not; "" before any. Never NULL. */
VCORE_API const char* vcore_last_error(void);
/* "ub-out-of-bounds" …; "none" for 0, NULL past the last id. */
VCORE_API const char* vcore_fault_name(uint32_t id);

/* ---- cores */

/* `product` is a name or alias ("ascend950"). `overrides` are `count` texts "key=value" as of vcore-sim --set; NULL
 * where count is 0. `mode` is a vcore_mode. */
VCORE_API vcore_status vcore_create(const char* product, const char* const* overrides, size_t count, uint32_t mode,
                                    vcore_handle* core);
/* `json` is the text of a configuration, `name` what messages call it. */
VCORE_API vcore_status vcore_create_json(const char* json, const char* name, const char* const* overrides, size_t count,
                                         uint32_t mode, vcore_handle* core);
VCORE_API vcore_status vcore_destroy(vcore_handle core);
/* Registers and UB zero and never written, no VF open, cycle 0, counters zero, nothing in flight. Diagnostics stay. */
VCORE_API vcore_status vcore_reset(vcore_handle core);
/* The configuration's hash, 16 hexadecimal digits and a zero: 17 bytes. */
VCORE_API vcore_status vcore_configuration_hash(vcore_handle core, char* buffer, size_t bytes, size_t* needed);

/* ---- bytes; all cost no time. */

VCORE_API vcore_status vcore_ub_size(vcore_handle core, uint64_t* bytes);
VCORE_API vcore_status vcore_write_ub(vcore_handle core, uint64_t address, const void* data, size_t bytes);
VCORE_API vcore_status vcore_read_ub(vcore_handle core, uint64_t address, void* data, size_t bytes);
/* A vector register is 256 bytes, element 0 first, little-endian. */
VCORE_API vcore_status vcore_write_vector(vcore_handle core, uint32_t number, const void* data, size_t bytes);
VCORE_API vcore_status vcore_read_vector(vcore_handle core, uint32_t number, void* data, size_t bytes);
/* A mask register is 32 bytes: one bit for each byte of a vector register, bit 0 first. */
VCORE_API vcore_status vcore_write_mask(vcore_handle core, uint32_t number, const void* data, size_t bytes);
VCORE_API vcore_status vcore_read_mask(vcore_handle core, uint32_t number, void* data, size_t bytes);

/* Compares `bytes` bytes with `expected`; only bits that are 1 in `care` count (NULL: all). *differences is the number
 * of bytes that differ, *first the offset of the first of them (`bytes` where none does). */
VCORE_API vcore_status vcore_compare_ub(vcore_handle core, uint64_t address, const void* expected, const void* care,
                                        size_t bytes, size_t* differences, size_t* first);
VCORE_API vcore_status vcore_compare_vector(vcore_handle core, uint32_t number, const void* expected, const void* care,
                                            size_t bytes, size_t* differences, size_t* first);

/* ---- ops and time */

/* A vcore_op with its size and version set, all else 0. */
VCORE_API vcore_status vcore_op_init(vcore_op* op, size_t bytes, uint32_t kind);
/* Performs one op at the current cycle. In/out fields of `op` are updated where it was performed. */
VCORE_API vcore_status vcore_issue(vcore_handle core, vcore_op* op, vcore_result* result);
/* Moves bytes from `data` into the UB (`into_ub` 1) or out of it (0), at MTE speed. `address` is 32 B aligned. The core
 * waits for the last byte where `beside` is 0. */
VCORE_API vcore_status vcore_transfer(vcore_handle core, int into_ub, int64_t address, void* data, size_t bytes,
                                      int beside, uint32_t line, vcore_result* result);
/* When op or transfer `ticket` was issued and completed; VCORE_PENDING while that is not known. The last 65,536 are
 * kept. */
VCORE_API vcore_status vcore_completion(vcore_handle core, uint64_t ticket, uint64_t* issue_cycle,
                                        uint64_t* complete_cycle);
/* The current cycle moves on by `cycles`; what happens until then happens. */
VCORE_API vcore_status vcore_step(vcore_handle core, uint64_t cycles);
/* Everything that was called completes; the current cycle becomes the last completion, which *cycle gets (may be NULL).
 */
VCORE_API vcore_status vcore_finish(vcore_handle core, uint64_t* cycle);
VCORE_API vcore_status vcore_cycle(vcore_handle core, uint64_t* cycle);

/* ---- what was noticed */

VCORE_API vcore_status vcore_statistics_read(vcore_handle core, vcore_statistics* statistics);
VCORE_API vcore_status vcore_diagnostic_count(vcore_handle core, size_t* count);
VCORE_API vcore_status vcore_diagnostic_read(vcore_handle core, size_t index, vcore_diagnostic* diagnostic);
/* The message, ended by a zero. `needed` (may be NULL) gets its bytes with the zero, also for VCORE_SHORT_BUFFER. */
VCORE_API vcore_status vcore_diagnostic_text(vcore_handle core, size_t index, char* buffer, size_t bytes,
                                             size_t* needed);
VCORE_API vcore_status vcore_clear_diagnostics(vcore_handle core);

#ifdef __cplusplus
}
#endif

#endif /* VCORE_H */
