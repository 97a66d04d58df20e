// Operations on the parts of a word. The results are those of nvcc 13.0 for compute capability 8.0.
#include <cstdio>

#include "check.h"

// clang-format off
__global__ void words_kernel(int* wrong) {
    const bool right[] = {
        __vabs2(0x80808080u) == 0x7f807f80,
        __vabsss2(0x80808080u) == 0x7f807f80,
        __vneg2(0x80808080u) == 0x7f807f80,
        __vnegss2(0x80808080u) == 0x7f807f80,
        __vabsdiffs2(0x2265b1f5u, 0x80808080u) == 0xa1e53175,
        __vabsdiffu2(0x05b6e6e3u, 0x00000000u) == 0x05b6e6e3,
        __vadd2(0xfe175330u, 0x80008000u) == 0x7e17d330,
        __vaddss2(0xa9ec0806u, 0x80808080u) == 0x80008886,
        __vaddus2(0x00000000u, 0x62397bc7u) == 0x62397bc7,
        __vavgs2(0x07295e42u, 0xffffffffu) == 0x03942f21,
        __vavgu2(0x4155d7efu, 0x7f7f7f7fu) == 0x606aabb7,
        __vhaddu2(0x0492c4f5u, 0x80ff7f01u) == 0x42c8a1fb,
        __vmaxs2(0x4c717095u, 0x7f7f7f7fu) == 0x7f7f7f7f,
        __vmaxu2(0x58d07674u, 0x80808080u) == 0x80808080,
        __vmins2(0x36891eebu, 0x80008000u) == 0x80008000,
        __vminu2(0x3c35612eu, 0x01ff00feu) == 0x01ff00fe,
        __vsads2(0x4ba955f3u, 0x80808080u) == 0x0001a09c,
        __vsadu2(0xe927db48u, 0x80ff7f01u) == 0x0000c46f,
        __vsub2(0x40041e00u, 0xffffffffu) == 0x40051e01,
        __vsubss2(0x51158de5u, 0x80008000u) == 0x7fff0de5,
        __vsubus2(0xc71a5b11u, 0x7fff7fffu) == 0x471b0000,
        __vcmpges2(0x501fc6f4u, 0x01ff00feu) == 0xffff0000,
        __vcmpgts2(0xb38742adu, 0x01ff00feu) == 0x0000ffff,
        __vcmples2(0xe9b161f4u, 0x156eab79u) == 0xffff0000,
        __vcmplts2(0x88b7cc6bu, 0x80ff7f01u) == 0x0000ffff,
        __vcmpgeu2(0xdc7a4beeu, 0xcf03fd21u) == 0xffff0000,
        __vcmpgtu2(0x5fac971au, 0x80008000u) == 0x0000ffff,
        __vcmpleu2(0x80ff7f01u, 0x80008000u) == 0x0000ffff,
        __vcmpltu2(0x80008000u, 0xa1326797u) == 0xffff0000,
        __vseteq2(0xffffffffu, 0xffffffffu) == 0x00010001,
        __vsetne2(0x8ec23615u, 0x00000000u) == 0x00010001,
        __vsetges2(0xed9140c0u, 0x80ff7f01u) == 0x00010000,
        __vsetgts2(0xb7d9365cu, 0xffffffffu) == 0x00000001,
        __vsetles2(0xb150a78du, 0x7f7f7f7fu) == 0x00010001,
        __vsetlts2(0x142fab55u, 0x00000000u) == 0x00000001,
        __vsetgeu2(0xd708f3a0u, 0x4dabb96du) == 0x00010001,
        __vsetgtu2(0x80008000u, 0xa4401dabu) == 0x00000001,
        __vsetleu2(0x7f7f7f7fu, 0x0f078f6cu) == 0x00000001,
        __vsetltu2(0xbc937d7eu, 0x80008000u) == 0x00000001,
        __vabs4(0x80808080u) == 0x80808080,
        __vabsss4(0x80808080u) == 0x7f7f7f7f,
        __vneg4(0x80808080u) == 0x80808080,
        __vnegss4(0x80808080u) == 0x7f7f7f7f,
        __vabsdiffs4(0xec4c277bu, 0x7fff7fffu) == 0x934d587c,
        __vabsdiffu4(0x4ced509au, 0x7fff7fffu) == 0x33122f65,
        __vadd4(0xe3bba436u, 0x80808080u) == 0x633b24b6,
        __vaddss4(0xc42dddc2u, 0x80ff7f01u) == 0x802c5cc3,
        __vaddus4(0x01ff00feu, 0xdd90f85bu) == 0xdefff8ff,
        __vavgs4(0x9da7fdf2u, 0x80ff7f01u) == 0x8ed33ef9,
        __vavgu4(0x21858664u, 0x01ff00feu) == 0x11c243b1,
        __vhaddu4(0xc812fed7u, 0x7fff7fffu) == 0xa388beeb,
        __vmaxs4(0x460f923du, 0x80ff7f01u) == 0x460f7f3d,
        __vmaxu4(0xa65023bau, 0x7f7f7f7fu) == 0xa67f7fba,
        __vmins4(0xa4eeff8du, 0x80808080u) == 0x80808080,
        __vminu4(0xe51f0ebau, 0xffffffffu) == 0xe51f0eba,
        __vsads4(0x419def82u, 0xffffffffu) == 0x00000131,
        __vsadu4(0x264103c5u, 0x00000000u) == 0x0000012f,
        __vsub4(0x53e0472cu, 0x00000000u) == 0x53e0472c,
        __vsubss4(0x92f233a4u, 0x00000000u) == 0x92f233a4,
        __vsubus4(0x83e6a37au, 0x7fff7fffu) == 0x04002400,
        __vcmpeq4(0x00000000u, 0x80008000u) == 0x00ff00ff,
        __vcmpne4(0x7f7f7f7fu, 0x80ff7f01u) == 0xffff00ff,
        __vcmpges4(0xc77ad8c8u, 0x80ff7f01u) == 0xffff0000,
        __vcmpgts4(0xffffffffu, 0x1b04b28cu) == 0x0000ffff,
        __vcmples4(0xcc564cc8u, 0xffffffffu) == 0xff0000ff,
        __vcmplts4(0x3ec39c4fu, 0x01ff00feu) == 0x00ffff00,
        __vcmpgeu4(0xf8db903au, 0x864c68f6u) == 0xffffff00,
        __vcmpgtu4(0x894ecb0du, 0x7f7f7f7fu) == 0xff00ff00,
        __vcmpleu4(0xf48bc982u, 0xdbf9fb74u) == 0x00ffff00,
        __vcmpltu4(0x911eace3u, 0x478c8b5fu) == 0x00ff0000,
        __vsetne4(0x3dc07bbbu, 0x80ff7f01u) == 0x01010101,
        __vsetges4(0x718f4fb3u, 0x80008000u) == 0x01000100,
        __vsetgts4(0xb75c29d5u, 0x80008000u) == 0x01010100,
        __vsetles4(0x00000000u, 0x7d0b6da5u) == 0x01010100,
        __vsetlts4(0x0d42aa6eu, 0x01ff00feu) == 0x00000100,
        __vsetgeu4(0x6d44209du, 0x80008000u) == 0x00010001,
        __vsetgtu4(0x12fc552eu, 0x01ff00feu) == 0x01000100,
        __vsetleu4(0x103f3569u, 0xffffffffu) == 0x01010101,
        __vsetltu4(0xdf9e5384u, 0xffffffffu) == 0x01010101,
    };
    for (int i = 0; i < static_cast<int>(sizeof(right)); ++i)
        if (!right[i]) *wrong = i + 1;
}
// clang-format on

int main() {
    int* wrong;
    RUNS(cudaMallocManaged(&wrong, sizeof(int)));
    *wrong = 0;
    words_kernel<<<1, 1>>>(wrong);
    RUNS(cudaDeviceSynchronize());
    if (*wrong != 0) printf("number %d of the list is wrong\n", *wrong);
    CHECK(*wrong == 0);
}
