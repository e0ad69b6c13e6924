# The loop over blocks. Made by this command, which also says what the registers hold:
# cargo run --release -p orders -- print blake2b slow-rotation

.macro simd_digest_blake2b_slow_rotation_columns a0, a1, a2, a3, b0, b1, b2, b3
vpbroadcastq ymm11, qword ptr [rsi + \a0]
vpblendmq ymm11{k1}, ymm11, qword ptr [rsi + \a1]{1to4}
vpblendmq ymm11{k2}, ymm11, qword ptr [rsi + \a2]{1to4}
vpblendmq ymm11{k3}, ymm11, qword ptr [rsi + \a3]{1to4}
vpbroadcastq ymm9, qword ptr [rsi + \b0]
vpblendmq ymm9{k1}, ymm9, qword ptr [rsi + \b1]{1to4}
vpblendmq ymm9{k2}, ymm9, qword ptr [rsi + \b2]{1to4}
vpblendmq ymm9{k3}, ymm9, qword ptr [rsi + \b3]{1to4}
vpaddq ymm0, ymm0, ymm1
vpxor ymm3, ymm3, ymm0
vpshufd ymm3, ymm3, 0xb1
vpaddq ymm2, ymm2, ymm3
vprorq ymm3, ymm3, 16
vpxor ymm1, ymm1, ymm2
vpaddq ymm4, ymm0, ymm4
vpshufb ymm1, ymm1, ymm24
vpaddq ymm11, ymm11, ymm4
vpaddq ymm11, ymm11, ymm1
vpaddq ymm10, ymm4, ymm1
vpsllq ymm4, ymm10, 48
vpsrlq ymm0, ymm10, 16
vpermq ymm5, ymm11, 0x4b
vprorq ymm6, ymm1, 63
vpternlogq ymm3, ymm0, ymm4, 0x96
vpaddq ymm2, ymm2, ymm3
vpsrlq ymm4, ymm2, 63
vpaddq ymm0, ymm2, ymm2
vpshufd ymm8, ymm3, 0x4e
vpermq ymm7, ymm2, 0x1e
vpternlogq ymm6, ymm4, ymm0, 0x96
.endm
.macro simd_digest_blake2b_slow_rotation_diagonals a0, a1, a2, a3, b0, b1, b2, b3
vpaddq ymm5, ymm5, ymm6
vpbroadcastq ymm4, qword ptr [rsi + \b0]
vpblendmq ymm4{k1}, ymm4, qword ptr [rsi + \b1]{1to4}
vpblendmq ymm4{k2}, ymm4, qword ptr [rsi + \b2]{1to4}
vpblendmq ymm4{k3}, ymm4, qword ptr [rsi + \b3]{1to4}
vpxor ymm8, ymm8, ymm5
vpaddq ymm9, ymm5, ymm9
vpshufd ymm8, ymm8, 0xb1
vpaddq ymm7, ymm7, ymm8
vprorq ymm8, ymm8, 16
vpxor ymm6, ymm6, ymm7
vpbroadcastq ymm5, qword ptr [rsi + \a0]
vpblendmq ymm5{k1}, ymm5, qword ptr [rsi + \a1]{1to4}
vpblendmq ymm5{k2}, ymm5, qword ptr [rsi + \a2]{1to4}
vpblendmq ymm5{k3}, ymm5, qword ptr [rsi + \a3]{1to4}
vpaddq ymm5, ymm5, ymm9
vpshufb ymm6, ymm6, ymm24
vpaddq ymm10, ymm9, ymm6
vpsrlq ymm9, ymm10, 16
vpsllq ymm11, ymm10, 48
vprorq ymm1, ymm6, 63
vpaddq ymm6, ymm5, ymm6
vpermq ymm0, ymm6, 0x1e
vpternlogq ymm8, ymm9, ymm11, 0x96
vpaddq ymm7, ymm7, ymm8
vpsrlq ymm11, ymm7, 63
vpaddq ymm9, ymm7, ymm7
vpternlogq ymm1, ymm11, ymm9, 0x96
vpshufd ymm3, ymm8, 0x4e
vpermq ymm2, ymm7, 0x4b
.endm
.p2align 6
2:
cmp rdx, 1
jne 3f
vporq ymm27, ymm27, ymm25
3:
vpbroadcastq ymm0, qword ptr [rsi + 0]
vpblendmq ymm0{k1}, ymm0, qword ptr [rsi + 32]{1to4}
vpblendmq ymm0{k2}, ymm0, qword ptr [rsi + 16]{1to4}
vpblendmq ymm0{k3}, ymm0, qword ptr [rsi + 48]{1to4}
vpaddq ymm0, ymm0, ymm31
vmovdqa64 ymm1, ymm30
vmovdqa64 ymm2, ymm29
vpxorq ymm3, ymm28, ymm27
vpbroadcastq ymm4, qword ptr [rsi + 8]
vpblendmq ymm4{k1}, ymm4, qword ptr [rsi + 40]{1to4}
vpblendmq ymm4{k2}, ymm4, qword ptr [rsi + 24]{1to4}
vpblendmq ymm4{k3}, ymm4, qword ptr [rsi + 56]{1to4}
simd_digest_blake2b_slow_rotation_columns 64, 96, 80, 112, 120, 88, 72, 104
simd_digest_blake2b_slow_rotation_diagonals 104, 32, 112, 72, 80, 120, 64, 48
simd_digest_blake2b_slow_rotation_columns 8, 88, 0, 40, 24, 16, 96, 56
simd_digest_blake2b_slow_rotation_diagonals 120, 96, 88, 40, 64, 16, 0, 104
simd_digest_blake2b_slow_rotation_columns 80, 56, 24, 72, 32, 48, 112, 8
simd_digest_blake2b_slow_rotation_diagonals 88, 24, 56, 104, 72, 96, 8, 112
simd_digest_blake2b_slow_rotation_columns 16, 32, 40, 120, 64, 80, 48, 0
simd_digest_blake2b_slow_rotation_diagonals 80, 40, 72, 16, 0, 32, 56, 120
simd_digest_blake2b_slow_rotation_columns 112, 48, 88, 24, 104, 96, 8, 64
simd_digest_blake2b_slow_rotation_diagonals 64, 48, 16, 0, 96, 88, 80, 24
simd_digest_blake2b_slow_rotation_columns 32, 120, 56, 8, 72, 40, 104, 112
simd_digest_blake2b_slow_rotation_diagonals 32, 8, 96, 112, 40, 104, 120, 80
simd_digest_blake2b_slow_rotation_columns 0, 72, 48, 64, 88, 24, 56, 16
simd_digest_blake2b_slow_rotation_diagonals 24, 56, 104, 96, 88, 8, 112, 72
simd_digest_blake2b_slow_rotation_columns 40, 64, 120, 16, 80, 32, 0, 48
simd_digest_blake2b_slow_rotation_diagonals 0, 112, 48, 88, 120, 24, 72, 64
simd_digest_blake2b_slow_rotation_columns 96, 8, 104, 80, 40, 56, 16, 32
simd_digest_blake2b_slow_rotation_diagonals 8, 64, 80, 56, 16, 48, 32, 40
simd_digest_blake2b_slow_rotation_columns 120, 24, 72, 104, 0, 112, 88, 96
simd_digest_blake2b_slow_rotation_diagonals 48, 16, 0, 32, 8, 40, 24, 56
simd_digest_blake2b_slow_rotation_columns 64, 96, 80, 112, 120, 88, 72, 104
simd_digest_blake2b_slow_rotation_diagonals 104, 32, 112, 72, 80, 120, 64, 48
simd_digest_blake2b_slow_rotation_columns 8, 88, 0, 40, 24, 16, 96, 56
simd_digest_blake2b_slow_rotation_diagonals 120, 96, 88, 40, 64, 16, 0, 104
vpermq ymm0, ymm10, 0x1e
vpternlogq ymm31, ymm0, ymm2, 0x96
vpternlogq ymm30, ymm1, ymm3, 0x96
vpaddq ymm27, ymm27, ymm26
add rsi, 128
dec rdx
jnz 2b
.purgem simd_digest_blake2b_slow_rotation_columns
.purgem simd_digest_blake2b_slow_rotation_diagonals
