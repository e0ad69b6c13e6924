# The loop over blocks. Made by this command, which also says what the registers hold:
# cargo run --release -p orders -- print blake2s fast-rotation

.macro simd_digest_blake2s_fast_rotation_columns a0, a1, a2, a3, b0, b1, b2, b3
vpaddd xmm0, xmm0, xmm1
vpxor xmm3, xmm3, xmm0
vprord xmm3, xmm3, 16
vpbroadcastd xmm11, dword ptr [rsi + \a0]
vpblendmd xmm11{k1}, xmm11, dword ptr [rsi + \a1]{1to4}
vpblendmd xmm11{k2}, xmm11, dword ptr [rsi + \a2]{1to4}
vpblendmd xmm11{k3}, xmm11, dword ptr [rsi + \a3]{1to4}
vpaddd xmm2, xmm2, xmm3
vpaddd xmm4, xmm0, xmm4
vpxor xmm1, xmm1, xmm2
vprord xmm1, xmm1, 12
vpaddd xmm10, xmm4, xmm1
vpxor xmm3, xmm3, xmm10
vprord xmm3, xmm3, 8
vpaddd xmm2, xmm2, xmm3
vpxor xmm0, xmm1, xmm2
vprord xmm6, xmm0, 7
vpbroadcastd xmm9, dword ptr [rsi + \b0]
vpblendmd xmm9{k1}, xmm9, dword ptr [rsi + \b1]{1to4}
vpblendmd xmm9{k2}, xmm9, dword ptr [rsi + \b2]{1to4}
vpblendmd xmm9{k3}, xmm9, dword ptr [rsi + \b3]{1to4}
vpshufd xmm8, xmm3, 0xb1
vpaddd xmm4, xmm11, xmm4
vpaddd xmm1, xmm4, xmm1
vpshufd xmm5, xmm1, 0x4b
vpshufd xmm7, xmm2, 0x1e
.endm
.macro simd_digest_blake2s_fast_rotation_diagonals a0, a1, a2, a3, b0, b1, b2, b3
vpaddd xmm5, xmm5, xmm6
vpxor xmm8, xmm8, xmm5
vprord xmm8, xmm8, 16
vpbroadcastd xmm11, dword ptr [rsi + \a0]
vpblendmd xmm11{k1}, xmm11, dword ptr [rsi + \a1]{1to4}
vpblendmd xmm11{k2}, xmm11, dword ptr [rsi + \a2]{1to4}
vpblendmd xmm11{k3}, xmm11, dword ptr [rsi + \a3]{1to4}
vpaddd xmm9, xmm5, xmm9
vpaddd xmm7, xmm7, xmm8
vpxor xmm6, xmm6, xmm7
vprord xmm6, xmm6, 12
vpaddd xmm10, xmm9, xmm6
vpxor xmm8, xmm8, xmm10
vprord xmm8, xmm8, 8
vpaddd xmm7, xmm7, xmm8
vpxor xmm5, xmm6, xmm7
vprord xmm1, xmm5, 7
vpbroadcastd xmm4, dword ptr [rsi + \b0]
vpblendmd xmm4{k1}, xmm4, dword ptr [rsi + \b1]{1to4}
vpblendmd xmm4{k2}, xmm4, dword ptr [rsi + \b2]{1to4}
vpblendmd xmm4{k3}, xmm4, dword ptr [rsi + \b3]{1to4}
vpshufd xmm3, xmm8, 0xb1
vpaddd xmm9, xmm11, xmm9
vpaddd xmm6, xmm9, xmm6
vpshufd xmm0, xmm6, 0x1e
vpshufd xmm2, xmm7, 0x4b
.endm
.p2align 6
2:
cmp rdx, 1
jne 3f
vpord xmm27, xmm27, xmm25
3:
vpbroadcastd xmm0, dword ptr [rsi + 0]
vpblendmd xmm0{k1}, xmm0, dword ptr [rsi + 16]{1to4}
vpblendmd xmm0{k2}, xmm0, dword ptr [rsi + 8]{1to4}
vpblendmd xmm0{k3}, xmm0, dword ptr [rsi + 24]{1to4}
vpaddd xmm0, xmm0, xmm31
vmovdqa64 xmm1, xmm30
vmovdqa64 xmm2, xmm29
vpxord xmm3, xmm28, xmm27
vpbroadcastd xmm4, dword ptr [rsi + 4]
vpblendmd xmm4{k1}, xmm4, dword ptr [rsi + 20]{1to4}
vpblendmd xmm4{k2}, xmm4, dword ptr [rsi + 12]{1to4}
vpblendmd xmm4{k3}, xmm4, dword ptr [rsi + 28]{1to4}
simd_digest_blake2s_fast_rotation_columns 32, 48, 40, 56, 60, 44, 36, 52
simd_digest_blake2s_fast_rotation_diagonals 52, 16, 56, 36, 40, 60, 32, 24
simd_digest_blake2s_fast_rotation_columns 4, 44, 0, 20, 12, 8, 48, 28
simd_digest_blake2s_fast_rotation_diagonals 60, 48, 44, 20, 32, 8, 0, 52
simd_digest_blake2s_fast_rotation_columns 40, 28, 12, 36, 16, 24, 56, 4
simd_digest_blake2s_fast_rotation_diagonals 44, 12, 28, 52, 36, 48, 4, 56
simd_digest_blake2s_fast_rotation_columns 8, 16, 20, 60, 32, 40, 24, 0
simd_digest_blake2s_fast_rotation_diagonals 40, 20, 36, 8, 0, 16, 28, 60
simd_digest_blake2s_fast_rotation_columns 56, 24, 44, 12, 52, 48, 4, 32
simd_digest_blake2s_fast_rotation_diagonals 32, 24, 8, 0, 48, 44, 40, 12
simd_digest_blake2s_fast_rotation_columns 16, 60, 28, 4, 36, 20, 52, 56
simd_digest_blake2s_fast_rotation_diagonals 16, 4, 48, 56, 20, 52, 60, 40
simd_digest_blake2s_fast_rotation_columns 0, 36, 24, 32, 44, 12, 28, 8
simd_digest_blake2s_fast_rotation_diagonals 12, 28, 52, 48, 44, 4, 56, 36
simd_digest_blake2s_fast_rotation_columns 20, 32, 60, 8, 40, 16, 0, 24
simd_digest_blake2s_fast_rotation_diagonals 0, 56, 24, 44, 60, 12, 36, 32
simd_digest_blake2s_fast_rotation_columns 48, 4, 52, 40, 20, 28, 8, 16
simd_digest_blake2s_fast_rotation_diagonals 4, 32, 40, 28, 8, 24, 16, 20
simd_digest_blake2s_fast_rotation_columns 60, 12, 36, 52, 0, 56, 44, 48
simd_digest_blake2s_fast_rotation_diagonals 24, 8, 0, 16, 4, 20, 12, 28
vpshufd xmm0, xmm10, 0x1e
vpternlogd xmm31, xmm0, xmm2, 0x96
vpternlogd xmm30, xmm1, xmm3, 0x96
vpaddd xmm27, xmm27, xmm26
add rsi, 64
dec rdx
jnz 2b
.purgem simd_digest_blake2s_fast_rotation_columns
.purgem simd_digest_blake2s_fast_rotation_diagonals
