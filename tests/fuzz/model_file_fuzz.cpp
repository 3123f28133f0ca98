// Bytes that claim to be a response model are refused or give a model that makes sense. The hash is mended first, so that
// the fuzzer gets past it.
#include "response/model_file.h"

#include <cstdlib>
#include <cstring>

using namespace moraine;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    (void)response_model_from_bytes({data, size}, "fuzz.modes");
    const auto model = response_model_from_bytes(with_right_head({data, size}), "fuzz.modes");
    if (model && !check_response_model(*model).empty())
        std::abort();
    return 0;
}
