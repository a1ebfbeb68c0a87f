#include "numeric/logarithm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "numeric/factors.hpp"

namespace stablebn {

namespace {

constexpr int SEGMENTS = 128;

// All constants are the nearest double-doubles; tests/unit/core/test_logarithm.py computes them again as fractions.
constexpr DoubleDouble LN_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble THIRD{0x1.5555555555555p-2, 0x1.5555555555555p-56};
constexpr DoubleDouble LN_SQRT_2PI{0.9189385332046728, -3.878294158067242e-17};
constexpr DoubleDouble TWELFTH{1.0 / 12, 4.625929269271486e-18};

// Logarithm of the middle of each of the 128 segments of [1, 2).
constexpr DoubleDouble LN_OF_MIDDLE[SEGMENTS] = {
    {0x1.ff00aa2b10bc0p-9, 0x1.2821ad5a6d353p-63},
    {0x1.7dc475f810a77p-7, -0x1.16d7687d3df21p-62},
    {0x1.3cea44346a575p-6, -0x1.0cb5a902b3a1cp-62},
    {0x1.b9fc027af9198p-6, -0x1.0ae69229dc868p-64},
    {0x1.1b0d98923d980p-5, -0x1.e9ae889bac481p-60},
    {0x1.58a5bafc8e4d5p-5, -0x1.ce55c2b4e2b72p-59},
    {0x1.95c830ec8e3ebp-5, 0x1.f5a0e80520bf2p-59},
    {0x1.d276b8adb0b52p-5, 0x1.1e3c53257fd47p-61},
    {0x1.075983598e471p-4, 0x1.80da5333c45b8p-59},
    {0x1.253f62f0a1417p-4, -0x1.c125963fc4cfdp-62},
    {0x1.42edcbea646f0p-4, 0x1.ddd4f935996c9p-59},
    {0x1.60658a93750c4p-4, -0x1.388458ec21b6ap-58},
    {0x1.7da766d7b12cdp-4, -0x1.eeedfcdd94131p-58},
    {0x1.9ab42462033adp-4, -0x1.2099e1c184e8ep-59},
    {0x1.b78c82bb0eda1p-4, 0x1.0878cf0327e21p-61},
    {0x1.d4313d66cb35dp-4, 0x1.790dd951d90fap-58},
    {0x1.f0a30c01162a6p-4, 0x1.85f325c5bbacdp-58},
    {0x1.0671512ca596ep-3, 0x1.50c647eb86499p-58},
    {0x1.14785846742acp-3, 0x1.a28813e3a7f07p-57},
    {0x1.2266f190a5acbp-3, 0x1.f547bf1809e88p-57},
    {0x1.303d718e47fd3p-3, -0x1.6b9c7d96091fap-63},
    {0x1.3dfc2b0ecc62ap-3, -0x1.ab3a8e7d81017p-58},
    {0x1.4ba36f39a55e5p-3, 0x1.68981bcc36756p-57},
    {0x1.59338d9982086p-3, -0x1.65d22aa8ad7cfp-58},
    {0x1.66acd4272ad51p-3, -0x1.0900e4e1ea8b2p-58},
    {0x1.740f8f54037a5p-3, -0x1.b264062a84cdbp-58},
    {0x1.815c0a14357ebp-3, -0x1.4be48073a0564p-58},
    {0x1.8e928de886d41p-3, -0x1.569d851a56770p-57},
    {0x1.9bb362e7dfb83p-3, 0x1.575e31f003e0cp-57},
    {0x1.a8becfc882f19p-3, -0x1.e8c37918c39ebp-58},
    {0x1.b5b519e8fb5a4p-3, 0x1.ba27fdc19e1a0p-57},
    {0x1.c2968558c18c1p-3, -0x1.73dee38a3fb6bp-57},
    {0x1.cf6354e09c5dcp-3, 0x1.239a07d55b695p-57},
    {0x1.dc1bca0abec7dp-3, 0x1.834c51998b6fcp-57},
    {0x1.e8c0252aa5a60p-3, -0x1.6e03a39bfc89bp-59},
    {0x1.f550a564b7b37p-3, 0x1.c5f6dfd018c37p-61},
    {0x1.00e6c45ad501dp-2, -0x1.cb9568ff6feadp-57},
    {0x1.071b85fcd590dp-2, 0x1.d1707f97bde80p-58},
    {0x1.0d46b579ab74bp-2, 0x1.03ec81c3cbd92p-57},
    {0x1.136870293a8b0p-2, 0x1.7b66298edd24ap-56},
    {0x1.1980d2dd4236fp-2, 0x1.9d3d1b0e4d147p-56},
    {0x1.1f8ff9e48a2f3p-2, -0x1.c9fdf9a0c4b07p-56},
    {0x1.2596010df763ap-2, -0x1.0f76c57075e9ep-58},
    {0x1.2b9303ab89d25p-2, -0x1.896b5fd852ad4p-56},
    {0x1.31871c9544185p-2, -0x1.51acc4c09b379p-60},
    {0x1.3772662bfd85bp-2, -0x1.b5629d8117de7p-59},
    {0x1.3d54fa5c1f710p-2, -0x1.e3265c6a1c98dp-56},
    {0x1.432ef2a04e814p-2, -0x1.29931715ac903p-56},
    {0x1.49006804009d1p-2, -0x1.9ffc341f177dcp-57},
    {0x1.4ec973260026ap-2, -0x1.42a87d977dc5ep-56},
    {0x1.548a2c3add263p-2, -0x1.819cf7e308ddbp-57},
    {0x1.5a42ab0f4cfe2p-2, -0x1.8ebcb7dee9a3dp-56},
    {0x1.5ff3070a793d4p-2, -0x1.bc60efafc6f6ep-57},
    {0x1.659b57303e1f3p-2, -0x1.f893d41c411f1p-56},
    {0x1.6b3bb2235943ep-2, -0x1.da856ccd987b3p-56},
    {0x1.70d42e2789236p-2, -0x1.52cc811d78d59p-57},
    {0x1.7664e1239dbcfp-2, -0x1.f6d5d64f5daf8p-57},
    {0x1.7bede0a37afc0p-2, -0x1.8783cb9801a5cp-56},
    {0x1.816f41da0d496p-2, -0x1.2923ca04b701cp-56},
    {0x1.86e919a330ba0p-2, 0x1.3f9b16feb7dd8p-59},
    {0x1.8c5b7c858b48bp-2, -0x1.e0ab4fdfa0595p-56},
    {0x1.91c67eb45a83ep-2, -0x1.e0e0ae234ae11p-56},
    {0x1.972a341135158p-2, 0x1.a5c09d24b70d9p-56},
    {0x1.9c86b02dc0863p-2, -0x1.917eeb69dd421p-56},
    {0x1.a1dc064d5b995p-2, 0x1.90128698ba0b8p-56},
    {0x1.a72a4966bd9eap-2, 0x1.6a76b1a7d87c3p-58},
    {0x1.ac718c258b0e4p-2, 0x1.8163d6f46f714p-59},
    {0x1.b1b1e0ebdfc5bp-2, 0x1.a4479608a2c55p-56},
    {0x1.b6eb59d3cf35ep-2, -0x1.8adbccd326a3cp-56},
    {0x1.bc1e08b0dad0ap-2, 0x1.09e8707055996p-56},
    {0x1.c149ff115f027p-2, -0x1.4cbcb90c06305p-56},
    {0x1.c66f4e3ff6ff8p-2, -0x1.82947258b688bp-58},
    {0x1.cb8e0744d7acap-2, -0x1.48879a214a2afp-61},
    {0x1.d0a63ae721e64p-2, 0x1.2acce112c40f2p-57},
    {0x1.d5b7f9ae2c684p-2, -0x1.a7be7f84ac06ap-57},
    {0x1.dac353e2c5954p-2, 0x1.18734b81a1bf8p-57},
    {0x1.dfc859906d5b5p-2, 0x1.01e1399f96398p-56},
    {0x1.e4c71a8687704p-2, 0x1.667923e1f5a8ep-57},
    {0x1.e9bfa659861f5p-2, 0x1.91bafc7dbe130p-56},
    {0x1.eeb20c640ddf4p-2, 0x1.ac371d7c8f7f5p-57},
    {0x1.f39e5bc811e5cp-2, -0x1.97fc777bb19e5p-57},
    {0x1.f884a36fe9ec2p-2, 0x1.6315c9e010800p-57},
    {0x1.fd64f20f61572p-2, -0x1.adb0ac2cead1bp-57},
    {0x1.011fab125ff8ap-1, 0x1.810dd40845ddep-57},
    {0x1.0389eefce633bp-1, 0x1.e155c53483748p-56},
    {0x1.05f14bd26459cp-1, 0x1.535b8ee4f9efep-58},
    {0x1.0855c884b450ep-1, 0x1.705826e49f318p-55},
    {0x1.0ab76bece14d2p-1, -0x1.fd6c935453f66p-56},
    {0x1.0d163ccb9d6b8p-1, -0x1.f7b9a9a8bc30fp-57},
    {0x1.0f7241c9b497dp-1, 0x1.3a8443b9db19dp-55},
    {0x1.11cb81787ccf8p-1, 0x1.02387ab1fcc90p-55},
    {0x1.1422025243d45p-1, -0x1.ad0e24adb489ep-58},
    {0x1.1675cababa60ep-1, 0x1.ce63eab883717p-60},
    {0x1.18c6e0ff5cf06p-1, 0x1.765142c2c671fp-58},
    {0x1.1b154b57da29fp-1, -0x1.011eb47db6a99p-57},
    {0x1.1d610fe677003p-1, 0x1.09d58d91e58f2p-58},
    {0x1.1faa34b87094cp-1, 0x1.817b8f7a193b0p-58},
    {0x1.21f0bfc65beecp-1, -0x1.e24f0c9187c92p-57},
    {0x1.2434b6f483934p-1, -0x1.debb8cf0f6d11p-57},
    {0x1.26762013430e0p-1, -0x1.96a95781c6727p-56},
    {0x1.28b500df60783p-1, -0x1.43f60605aaab3p-55},
    {0x1.2af15f02640adp-1, 0x1.cb064524aceb0p-57},
    {0x1.2d2b4012edc9ep-1, -0x1.51162c99b1cabp-55},
    {0x1.2f62a99509546p-1, 0x1.6c686739ffd99p-56},
    {0x1.3197a0fa7fe6ap-1, 0x1.d6348fb97128fp-57},
    {0x1.33ca2ba328995p-1, -0x1.bf28b3205ede1p-56},
    {0x1.35fa4edd36ea0p-1, 0x1.27d4680964362p-60},
    {0x1.38280fe58797fp-1, -0x1.015bd362a6e5dp-55},
    {0x1.3a5373e7ebdfap-1, -0x1.cd8f775b8f76ep-55},
    {0x1.3c7c7fff73206p-1, -0x1.be80db7025bedp-56},
    {0x1.3ea33936b2f5cp-1, -0x1.f099168a1360bp-55},
    {0x1.40c7a4880dce9p-1, 0x1.14f22de7fc9e1p-56},
    {0x1.42e9c6ddf80bfp-1, 0x1.657dc7a65061dp-56},
    {0x1.4509a5133bb0ap-1, 0x1.40fe2852d7b5ap-55},
    {0x1.472743f33aaadp-1, 0x1.8d6cf012a2948p-56},
    {0x1.4942a83a2fc07p-1, 0x1.ed0c544652b5ap-55},
    {0x1.4b5bd6956e274p-1, -0x1.c87a06beea773p-55},
    {0x1.4d72d3a39fd00p-1, 0x1.1cd4d414e008dp-55},
    {0x1.4f87a3f5026e9p-1, -0x1.e8ca8b1bcea9dp-55},
    {0x1.519a4c0ba3446p-1, 0x1.9b32128e4a77fp-55},
    {0x1.53aad05b99b7dp-1, -0x1.55c8b052e2539p-55},
    {0x1.55b9354b40bcdp-1, 0x1.e4197a357cb37p-56},
    {0x1.57c57f336f191p-1, -0x1.e953a3bc88192p-55},
    {0x1.59cfb25fae87ep-1, -0x1.172904559c6b6p-58},
    {0x1.5bd7d30e71c73p-1, 0x1.bf8da6db2b45cp-57},
    {0x1.5ddde57149923p-1, 0x1.dcfa37d75ef28p-55},
    {0x1.5fe1edad18919p-1, -0x1.ca8b610e18dbfp-55},
    {0x1.61e3efda46467p-1, -0x1.a1b727edefae3p-55},
};

// Up to this many factors are multiplied; beyond, Stirling's series is sufficiently exact.
constexpr int STIRLING_FROM = 16;
// B(2k) / (2k (2k - 1)), the coefficients of z**(1 - 2k) in Stirling's series, k = 1 .. 10.
constexpr std::array<double, 10> STIRLING{
    1.0 / 12,          -1.0 / 360, 1.0 / 1260,         -1.0 / 1680,       1.0 / 1188,
    -691.0 / 360360,   1.0 / 156,  -3617.0 / 122400,   43867.0 / 244188,  -174611.0 / 125400,
};
// m ln m of larger counts is rare, and computed on demand.
constexpr std::int64_t LARGEST_TABLE = 1 << 20;
// Number of cached values per thread.
constexpr std::size_t KNOWN_AT_ONCE = 1 << 14;

Fixed ln_of_prime(std::int64_t p) { return to_fixed(ln({static_cast<double>(p), 0.0})); }

}  // namespace

/// x = 2**e * m with m in [1, 2); with c the middle of m's segment and s = (m - c) / (m + c),
/// ln x = e ln 2 + ln c + 2 (s + s**3/3 + s**5/5 + ...), and |s| < 2**-9.
DoubleDouble ln(DoubleDouble x) {
    int e = 0;
    const double m_hi = 2.0 * std::frexp(x.hi, &e);
    e -= 1;
    const DoubleDouble m{m_hi, std::ldexp(x.lo, -e)};
    const int j = std::clamp(static_cast<int>((m_hi - 1.0) * SEGMENTS), 0, SEGMENTS - 1);
    const double c = 1.0 + (2 * j + 1) / (2.0 * SEGMENTS);
    DoubleDouble s = (m + DoubleDouble{-c, 0.0}) / (m + DoubleDouble{c, 0.0});
    const DoubleDouble q = s * s;
    const double tail = 0.2 + q.hi * (1.0 / 7.0 + q.hi * (1.0 / 9.0 + q.hi * (1.0 / 11.0)));
    const DoubleDouble t = (THIRD + DoubleDouble{q.hi * tail, 0.0}) * q * s;
    s = s + t;
    s = DoubleDouble{2.0 * s.hi, 2.0 * s.lo} + LN_OF_MIDDLE[j];
    return DoubleDouble{static_cast<double>(e), 0.0} * LN_2 + s;
}

/// Stirling's series.
DoubleDouble ln_gamma(DoubleDouble z) {
    DoubleDouble t = (z + DoubleDouble{-0.5, 0.0}) * ln(z);
    t = t + -z;
    t = t + LN_SQRT_2PI;
    const DoubleDouble r = DoubleDouble{1.0, 0.0} / z;
    const double square = r.hi * r.hi;
    double tail = 0.0;
    for (std::size_t k = STIRLING.size() - 1; k > 0; --k) tail = (tail + STIRLING[k]) * square;
    const DoubleDouble s = (DoubleDouble{STIRLING[0], TWELFTH.lo} + DoubleDouble{tail, 0.0}) * r;
    return t + s;
}

Fixed to_fixed(DoubleDouble x) {
    const double scaled = x.hi * 0x1p30;
    const double whole = std::floor(scaled);
    const double rest = ((scaled - whole) + x.lo * 0x1p30) * 0x1p31;
    return {static_cast<Wide>(whole) * (Wide{1} << 32) + 2 * static_cast<std::int64_t>(std::floor(rest + 0.5))};
}

Fixed half_ln(double mantissa, std::int64_t exponent) {
    // ln(2) / 2, as `ln` and `to_fixed` give it.
    constexpr Wide half_ln_2 = (Wide{372130558} << 32) + 4198100790;
    const DoubleDouble l = ln({mantissa, 0.0});
    const Fixed half = to_fixed({0.5 * l.hi, 0.5 * l.lo});
    return {half.units + half_ln_2 * exponent};
}

Fixed ln_of_integer(std::int64_t m) {
    Fixed sum;
    for (std::int64_t rest = m; rest > 1;) {
        const std::int64_t p = prime_factor(rest);
        const Fixed own = ln_of_prime(p);
        for (; rest % p == 0; rest /= p) sum += own;
    }
    return sum;
}

LogTable::LogTable(std::int64_t total) {
    const std::int64_t size = std::min(total + 1, LARGEST_TABLE);
    // Smallest prime factors, by a sieve.
    std::vector<std::int32_t> factor(static_cast<std::size_t>(size), 0);
    for (std::int64_t p = 2; p * p < size; ++p) {
        if (factor[static_cast<std::size_t>(p)]) continue;
        for (std::int64_t multiple = p * p; multiple < size; multiple += p) {
            auto& own = factor[static_cast<std::size_t>(multiple)];
            if (!own) own = static_cast<std::int32_t>(p);
        }
    }
    values_.resize(static_cast<std::size_t>(size));
    for (std::int64_t m = 2; m < size; ++m) {
        const std::int64_t p = factor[static_cast<std::size_t>(m)];
        values_[static_cast<std::size_t>(m)] =
            p ? (values_[static_cast<std::size_t>(p)] + values_[static_cast<std::size_t>(m / p)])
              : ln_of_prime(m);
    }
    for (std::int64_t m = 2; m < size; ++m) {
        values_[static_cast<std::size_t>(m)] = values_[static_cast<std::size_t>(m)].times(m);
    }
    data_ = values_.data();
    size_ = values_.size();
}

Fixed LogTable::beyond(std::int64_t m) {
    // The same counts occur repeatedly, and factoring is slow: recent results are cached.
    struct Known {
        std::int64_t m = 0;
        Fixed value;
    };
    thread_local std::vector<Known> known(KNOWN_AT_ONCE);
    Known& own = known[static_cast<std::size_t>(m) % KNOWN_AT_ONCE];
    if (own.m != m) own = {m, ln_of_integer(m).times(m)};
    return own.value;
}

/// The first 16 factors are multiplied; beyond them use Stirling's series at m + a less that at 16 + a.
RisingTable::RisingTable(double a) : a_(a) {
    auto first = std::make_unique<Chunk>();
    DoubleDouble sum;
    write((*first)[0], {});
    for (int i = 0; i < STIRLING_FROM; ++i) {
        sum = sum + ln(two_sum(a, static_cast<double>(i)));
        write((*first)[static_cast<std::size_t>(i) + 1], to_fixed(sum));
    }
    beyond_ = sum + -ln_gamma(two_sum(a, static_cast<double>(STIRLING_FROM)));
    chunks_[0] = first.release();
}

RisingTable::~RisingTable() {
    for (auto& chunk : chunks_) delete chunk.load();
}

void RisingTable::write(Entry& entry, Fixed value) {
    entry.low.store(static_cast<std::uint64_t>(value.units), std::memory_order_relaxed);
    entry.high.store(static_cast<std::int64_t>(value.units >> 64), std::memory_order_release);
}

Fixed RisingTable::compute(std::int64_t m) const {
    const Fixed term = to_fixed(ln_gamma(two_sum(static_cast<double>(m), a_)) + beyond_);
    const auto place = static_cast<std::uint64_t>(m);
    if (place >= REMEMBERED) return term;
    auto& slot = chunks_[place / CHUNK];
    Chunk* chunk = slot.load(std::memory_order_acquire);
    if (!chunk) {
        auto made = std::make_unique<Chunk>();
        // If another thread has made it meanwhile, `chunk` is that one.
        if (slot.compare_exchange_strong(chunk, made.get(), std::memory_order_acq_rel)) chunk = made.release();
    }
    write((*chunk)[place % CHUNK], term);
    return term;
}

std::shared_ptr<const RisingTable> RisingTables::with_prior(double a) {
    {
        const std::shared_lock lock(mutex_);
        const auto found = known_.find(a);
        if (found != known_.end()) return found->second;
    }
    auto made = std::make_shared<const RisingTable>(a);
    const std::unique_lock lock(mutex_);
    return known_.size() < MOST_TABLES ? known_.try_emplace(a, std::move(made)).first->second : made;
}

Fixed sum_ln_rising(std::span<const std::int64_t> counts, double a) { return RisingTable(a).sum(counts); }

}  // namespace stablebn
