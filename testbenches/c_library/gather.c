/* The gather of the asc_gather page as a C program: 128 halves, reversed by an index register. */
#include <stdio.h>
#include <stdlib.h>

#include "vcore.h"

static vcore_handle core;

static void must(vcore_status status) {
    if (status == VCORE_OK) return;
    fprintf(stderr, "status %d: %s\n", (int)status, vcore_last_error());
    exit(1);
}

static vcore_op op_of(vcore_op_kind kind) {
    vcore_op op;
    must(vcore_op_init(&op, sizeof op, kind));
    return op;
}

static void issue(vcore_op* op) {
    vcore_result result;
    result.size = sizeof result;
    must(vcore_issue(core, op, &result));
}

int main(void) {
    uint16_t table[128];
    uint16_t index[128];
    uint16_t expected[128];
    vcore_op op;
    size_t differences;
    size_t first;
    uint64_t cycle;
    int i;
    for (i = 0; i < 128; ++i) {
        table[i] = (uint16_t)(1000 + i);
        index[i] = (uint16_t)(127 - i);
        expected[i] = (uint16_t)(1000 + 127 - i);
    }
    must(vcore_create("ascend950", NULL, 0, VCORE_MODE_AT, &core));
    must(vcore_write_ub(core, 0x0000, table, sizeof table));
    must(vcore_write_ub(core, 0x1000, index, sizeof index));

    op = op_of(VCORE_VF_BEGIN);
    issue(&op);
    op = op_of(VCORE_CREATE_MASK);
    op.type = VCORE_B16;
    op.dst = 0;
    op.mode = VCORE_PATTERN_ALL;
    issue(&op);
    op = op_of(VCORE_LOAD);
    op.type = VCORE_U16;
    op.dst = 0;
    op.address = 0x1000;
    issue(&op);
    op = op_of(VCORE_GATHER);
    op.type = op.src_type = VCORE_HALF;
    op.index_type = VCORE_U16;
    op.dst = 1;
    op.address = 0x0000;
    op.index = 0;
    op.mask = 0;
    issue(&op);
    op = op_of(VCORE_STORE);
    op.type = VCORE_HALF;
    op.address = 0x2000;
    op.src = 1;
    op.mask = 0;
    issue(&op);
    op = op_of(VCORE_VF_END);
    issue(&op);
    must(vcore_finish(core, &cycle));

    must(vcore_compare_ub(core, 0x2000, expected, NULL, sizeof expected, &differences, &first));
    must(vcore_destroy(core));
    if (differences != 0) {
        fprintf(stderr, "%lu bytes differ, the first at %lu\n", (unsigned long)differences, (unsigned long)first);
        return 1;
    }
    printf("128 halves gathered by cycle %lu\n", (unsigned long)cycle);
    return 0;
}
