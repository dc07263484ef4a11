// The mandatory extension of an indexed transaction: a gather (read) or scatter (write) as one transaction.
//
// The payload's command is TLM_READ_COMMAND or TLM_WRITE_COMMAND; its data array holds the lanes' elements in lane
// order (lanes * element_bytes bytes, data length the same); its address is the base. Inactive lanes' data are not
// touched by a read and not looked at by a write. No two active lanes of a write share an element.
#pragma once

#include <tlm>

#include "models/isa/access.hpp"

namespace vcore::transport {

class IndexedExtension : public tlm::tlm_extension<IndexedExtension> {
public:
    isa::IndexedAccess access;

    tlm::tlm_extension_base* clone() const override { return new IndexedExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        access = static_cast<const IndexedExtension&>(other).access;
    }
};

}  // namespace vcore::transport
