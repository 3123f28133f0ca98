#include "distribute/transport.h"

#if MORAINE_HAVE_MPI

#include <mpi.h>

#include <list>

namespace moraine::distribute
{

namespace
{

class MpiTransport : public Transport
{
public:
    MpiTransport()
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void send(int to, Bytes message) override
    {
        count(message.size());
        under_way_.remove_if([](Sending& s) {
            int is_done = 0;
            MPI_Test(&s.request, &is_done, MPI_STATUS_IGNORE);
            return is_done != 0;
        });
        Sending& s = under_way_.emplace_back();
        s.message = std::move(message);
        MPI_Isend(s.message.data(), int(s.message.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD, &s.request);
    }

    void finish()
    {
        for (Sending& s : under_way_)
            MPI_Wait(&s.request, MPI_STATUS_IGNORE);
        under_way_.clear();
    }

private:
    Bytes wait_for(int from) override
    {
        MPI_Status status;
        MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        Bytes message(size_t(size), 0);
        MPI_Recv(message.data(), size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return message;
    }

    struct Sending
    {
        Bytes message{};
        MPI_Request request{};
    };
    int rank_ = 0, size_ = 1;
    std::list<Sending> under_way_; // addresses stay
};

} // namespace

bool has_mpi() { return true; }

int run_on_mpi(const std::function<int(Transport&)>& rank_main)
{
    MPI_Init(nullptr, nullptr);
    int result = 0;
    {
        MpiTransport transport;
        result = rank_main(transport);
        transport.finish();
    }
    MPI_Finalize();
    return result;
}

} // namespace moraine::distribute

#else

namespace moraine::distribute
{

bool has_mpi() { return false; }

int run_on_mpi(const std::function<int(Transport&)>&) { return 2; }

} // namespace moraine::distribute

#endif
