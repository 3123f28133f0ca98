#include "peer.h"

namespace moraine::bench
{

std::vector<PeerKind> peer_kinds()
{
    return {
        moraine_kind(), moraine_merging_kind(),
#ifdef MORAINE_HAVE_BOX3D
        box3d_kind(),
#endif
#ifdef MORAINE_HAVE_JOLT
        jolt_kind(),
#endif
#ifdef MORAINE_HAVE_BULLET
        bullet_kind(),
#endif
#ifdef MORAINE_HAVE_ODE
        ode_kind(),
#endif
    };
}

} // namespace moraine::bench
