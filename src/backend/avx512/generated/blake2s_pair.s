# The loop over blocks of two messages. Made by this command, which also says what the registers hold:
# cargo run --release -p orders -- print blake2s pair

.macro simd_digest_blake2s_pair_columns a0, a1, a2, a3, b0, b1, b2, b3
vpaddd xmm0, xmm0, xmm1
vpaddd xmm13, xmm13, xmm14
vpxor xmm3, xmm3, xmm0
vpxord xmm16, xmm16, xmm13
vprord xmm3, xmm3, 16
vprord xmm16, xmm16, 16
vpaddd xmm2, xmm2, xmm3
vpaddd xmm15, xmm15, xmm16
vpxor xmm1, xmm1, xmm2
vpxor xmm14, xmm14, xmm15
vpbroadcastd xmm11, dword ptr [rsi + \a0]
vpbroadcastd xmm24, dword ptr [r8 + \a0]
vpblendmd xmm11{k1}, xmm11, dword ptr [rsi + \a1]{1to4}
vpblendmd xmm24{k1}, xmm24, dword ptr [r8 + \a1]{1to4}
vpblendmd xmm11{k2}, xmm11, dword ptr [rsi + \a2]{1to4}
vpblendmd xmm24{k2}, xmm24, dword ptr [r8 + \a2]{1to4}
vpblendmd xmm11{k3}, xmm11, dword ptr [rsi + \a3]{1to4}
vpblendmd xmm24{k3}, xmm24, dword ptr [r8 + \a3]{1to4}
vprord xmm1, xmm1, 12
vprord xmm14, xmm14, 12
vpaddd xmm4, xmm0, xmm4
vpaddd xmm17, xmm13, xmm17
vpaddd xmm10, xmm4, xmm1
vpaddd xmm23, xmm17, xmm14
vpshufd xmm4, xmm10, 0x4b
vpshufd xmm17, xmm23, 0x4b
vpxor xmm3, xmm3, xmm10
vpxord xmm16, xmm16, xmm23
vprord xmm3, xmm3, 8
vprord xmm16, xmm16, 8
vpbroadcastd xmm9, dword ptr [rsi + \b0]
vpbroadcastd xmm22, dword ptr [r8 + \b0]
vpblendmd xmm9{k1}, xmm9, dword ptr [rsi + \b1]{1to4}
vpblendmd xmm22{k1}, xmm22, dword ptr [r8 + \b1]{1to4}
vpblendmd xmm9{k2}, xmm9, dword ptr [rsi + \b2]{1to4}
vpblendmd xmm22{k2}, xmm22, dword ptr [r8 + \b2]{1to4}
vpblendmd xmm9{k3}, xmm9, dword ptr [rsi + \b3]{1to4}
vpblendmd xmm22{k3}, xmm22, dword ptr [r8 + \b3]{1to4}
vpaddd xmm2, xmm2, xmm3
vpaddd xmm15, xmm15, xmm16
vpxor xmm1, xmm1, xmm2
vpxor xmm14, xmm14, xmm15
vprord xmm6, xmm1, 7
vprord xmm19, xmm14, 7
vpshufd xmm8, xmm3, 0xb1
vpshufd xmm21, xmm16, 0xb1
vpaddd xmm5, xmm4, xmm11
vpaddd xmm18, xmm17, xmm24
vpshufd xmm7, xmm2, 0x1e
vpshufd xmm20, xmm15, 0x1e
.endm
.macro simd_digest_blake2s_pair_diagonals a0, a1, a2, a3, b0, b1, b2, b3
vpaddd xmm5, xmm5, xmm6
vpaddd xmm18, xmm18, xmm19
vpxor xmm8, xmm8, xmm5
vpxord xmm21, xmm21, xmm18
vprord xmm8, xmm8, 16
vprord xmm21, xmm21, 16
vpbroadcastd xmm11, dword ptr [rsi + \a0]
vpbroadcastd xmm24, dword ptr [r8 + \a0]
vpblendmd xmm11{k1}, xmm11, dword ptr [rsi + \a1]{1to4}
vpblendmd xmm24{k1}, xmm24, dword ptr [r8 + \a1]{1to4}
vpblendmd xmm11{k2}, xmm11, dword ptr [rsi + \a2]{1to4}
vpblendmd xmm24{k2}, xmm24, dword ptr [r8 + \a2]{1to4}
vpblendmd xmm11{k3}, xmm11, dword ptr [rsi + \a3]{1to4}
vpblendmd xmm24{k3}, xmm24, dword ptr [r8 + \a3]{1to4}
vpaddd xmm7, xmm7, xmm8
vpaddd xmm20, xmm20, xmm21
vpxor xmm6, xmm6, xmm7
vpxord xmm19, xmm19, xmm20
vprord xmm6, xmm6, 12
vprord xmm19, xmm19, 12
vpaddd xmm9, xmm5, xmm9
vpaddd xmm22, xmm18, xmm22
vpaddd xmm10, xmm9, xmm6
vpaddd xmm23, xmm22, xmm19
vpshufd xmm9, xmm10, 0x1e
vpshufd xmm22, xmm23, 0x1e
vpxor xmm8, xmm8, xmm10
vpxord xmm21, xmm21, xmm23
vprord xmm8, xmm8, 8
vprord xmm21, xmm21, 8
vpbroadcastd xmm4, dword ptr [rsi + \b0]
vpbroadcastd xmm17, dword ptr [r8 + \b0]
vpblendmd xmm4{k1}, xmm4, dword ptr [rsi + \b1]{1to4}
vpblendmd xmm17{k1}, xmm17, dword ptr [r8 + \b1]{1to4}
vpblendmd xmm4{k2}, xmm4, dword ptr [rsi + \b2]{1to4}
vpblendmd xmm17{k2}, xmm17, dword ptr [r8 + \b2]{1to4}
vpblendmd xmm4{k3}, xmm4, dword ptr [rsi + \b3]{1to4}
vpblendmd xmm17{k3}, xmm17, dword ptr [r8 + \b3]{1to4}
vpaddd xmm7, xmm7, xmm8
vpaddd xmm20, xmm20, xmm21
vpxor xmm6, xmm6, xmm7
vpxord xmm19, xmm19, xmm20
vprord xmm1, xmm6, 7
vprord xmm14, xmm19, 7
vpshufd xmm3, xmm8, 0xb1
vpshufd xmm16, xmm21, 0xb1
vpaddd xmm0, xmm9, xmm11
vpaddd xmm13, xmm22, xmm24
vpshufd xmm2, xmm7, 0x4b
vpshufd xmm15, xmm20, 0x4b
.endm
.p2align 6
2:
cmp rdx, 1
jne 3f
vpord xmm26, xmm26, xmmword ptr [rdi + 64]
vpord xmm27, xmm27, xmmword ptr [rdi + 80]
3:
vpbroadcastd xmm0, dword ptr [rsi + 0]
vpbroadcastd xmm13, dword ptr [r8 + 0]
vpblendmd xmm0{k1}, xmm0, dword ptr [rsi + 16]{1to4}
vpblendmd xmm13{k1}, xmm13, dword ptr [r8 + 16]{1to4}
vpblendmd xmm0{k2}, xmm0, dword ptr [rsi + 8]{1to4}
vpblendmd xmm13{k2}, xmm13, dword ptr [r8 + 8]{1to4}
vpblendmd xmm0{k3}, xmm0, dword ptr [rsi + 24]{1to4}
vpblendmd xmm13{k3}, xmm13, dword ptr [r8 + 24]{1to4}
vpaddd xmm0, xmm0, xmmword ptr [rdi + 0]
vpaddd xmm13, xmm13, xmmword ptr [rdi + 32]
vmovdqu64 xmm1, xmmword ptr [rdi + 16]
vmovdqu64 xmm14, xmmword ptr [rdi + 48]
vmovdqu64 xmm2, xmm29
vmovdqu64 xmm15, xmm29
vpxord xmm3, xmm28, xmm26
vpxord xmm16, xmm28, xmm27
vpbroadcastd xmm4, dword ptr [rsi + 4]
vpbroadcastd xmm17, dword ptr [r8 + 4]
vpblendmd xmm4{k1}, xmm4, dword ptr [rsi + 20]{1to4}
vpblendmd xmm17{k1}, xmm17, dword ptr [r8 + 20]{1to4}
vpblendmd xmm4{k2}, xmm4, dword ptr [rsi + 12]{1to4}
vpblendmd xmm17{k2}, xmm17, dword ptr [r8 + 12]{1to4}
vpblendmd xmm4{k3}, xmm4, dword ptr [rsi + 28]{1to4}
vpblendmd xmm17{k3}, xmm17, dword ptr [r8 + 28]{1to4}
simd_digest_blake2s_pair_columns 56, 40, 32, 48, 60, 44, 36, 52
simd_digest_blake2s_pair_diagonals 56, 36, 16, 52, 40, 60, 32, 24
simd_digest_blake2s_pair_columns 20, 0, 4, 44, 12, 8, 48, 28
simd_digest_blake2s_pair_diagonals 44, 20, 48, 60, 32, 8, 0, 52
simd_digest_blake2s_pair_columns 36, 12, 40, 28, 16, 24, 56, 4
simd_digest_blake2s_pair_diagonals 28, 52, 12, 44, 36, 48, 4, 56
simd_digest_blake2s_pair_columns 60, 20, 8, 16, 32, 40, 24, 0
simd_digest_blake2s_pair_diagonals 36, 8, 20, 40, 0, 16, 28, 60
simd_digest_blake2s_pair_columns 12, 44, 56, 24, 52, 48, 4, 32
simd_digest_blake2s_pair_diagonals 8, 0, 24, 32, 48, 44, 40, 12
simd_digest_blake2s_pair_columns 4, 28, 16, 60, 36, 20, 52, 56
simd_digest_blake2s_pair_diagonals 48, 56, 4, 16, 20, 52, 60, 40
simd_digest_blake2s_pair_columns 32, 24, 0, 36, 44, 12, 28, 8
simd_digest_blake2s_pair_diagonals 52, 48, 28, 12, 44, 4, 56, 36
simd_digest_blake2s_pair_columns 8, 60, 20, 32, 40, 16, 0, 24
simd_digest_blake2s_pair_diagonals 24, 44, 56, 0, 60, 12, 36, 32
simd_digest_blake2s_pair_columns 40, 52, 48, 4, 20, 28, 8, 16
simd_digest_blake2s_pair_diagonals 40, 28, 32, 4, 8, 24, 16, 20
simd_digest_blake2s_pair_columns 52, 36, 60, 12, 0, 56, 44, 48
simd_digest_blake2s_pair_diagonals 0, 16, 8, 24, 4, 20, 12, 28
vpshufd xmm0, xmm10, 0x1e
vpshufd xmm13, xmm23, 0x1e
vpternlogd xmm0, xmm2, xmmword ptr [rdi + 0], 0x96
vpternlogd xmm13, xmm15, xmmword ptr [rdi + 32], 0x96
vmovdqu64 xmmword ptr [rdi + 0], xmm0
vmovdqu64 xmmword ptr [rdi + 32], xmm13
vpternlogd xmm1, xmm3, xmmword ptr [rdi + 16], 0x96
vpternlogd xmm14, xmm16, xmmword ptr [rdi + 48], 0x96
vmovdqu64 xmmword ptr [rdi + 16], xmm1
vmovdqu64 xmmword ptr [rdi + 48], xmm14
vpaddd xmm26, xmm26, xmmword ptr [rdi + 96]
vpaddd xmm27, xmm27, xmmword ptr [rdi + 96]
add rsi, rcx
add r8, rcx
dec rdx
jnz 2b
.purgem simd_digest_blake2s_pair_columns
.purgem simd_digest_blake2s_pair_diagonals
