# The loop over blocks of two messages. Made by this command, which also says what the registers hold:
# cargo run --release -p orders -- print blake2b pair

.macro simd_digest_blake2b_pair_columns a0, a1, a2, a3, b0, b1, b2, b3
vpbroadcastq ymm9, qword ptr [rsi + \b0]
vpbroadcastq ymm22, qword ptr [r8 + \b0]
vpblendmq ymm9{k1}, ymm9, qword ptr [rsi + \b1]{1to4}
vpblendmq ymm22{k1}, ymm22, qword ptr [r8 + \b1]{1to4}
vpblendmq ymm9{k2}, ymm9, qword ptr [rsi + \b2]{1to4}
vpblendmq ymm22{k2}, ymm22, qword ptr [r8 + \b2]{1to4}
vpblendmq ymm9{k3}, ymm9, qword ptr [rsi + \b3]{1to4}
vpblendmq ymm22{k3}, ymm22, qword ptr [r8 + \b3]{1to4}
vpaddq ymm0, ymm0, ymm1
vpaddq ymm13, ymm13, ymm14
vpxor ymm3, ymm3, ymm0
vpxorq ymm16, ymm16, ymm13
vprorq ymm3, ymm3, 32
vprorq ymm16, ymm16, 32
vpbroadcastq ymm11, qword ptr [rsi + \a0]
vpbroadcastq ymm24, qword ptr [r8 + \a0]
vpblendmq ymm11{k1}, ymm11, qword ptr [rsi + \a1]{1to4}
vpblendmq ymm24{k1}, ymm24, qword ptr [r8 + \a1]{1to4}
vpblendmq ymm11{k2}, ymm11, qword ptr [rsi + \a2]{1to4}
vpblendmq ymm24{k2}, ymm24, qword ptr [r8 + \a2]{1to4}
vpblendmq ymm11{k3}, ymm11, qword ptr [rsi + \a3]{1to4}
vpblendmq ymm24{k3}, ymm24, qword ptr [r8 + \a3]{1to4}
vpaddq ymm2, ymm2, ymm3
vpaddq ymm15, ymm15, ymm16
vpxor ymm1, ymm1, ymm2
vpxor ymm14, ymm14, ymm15
vpshufb ymm1, ymm1, ymm31
vpshufb ymm14, ymm14, ymm31
vpaddq ymm4, ymm0, ymm4
vpaddq ymm17, ymm13, ymm17
vpaddq ymm10, ymm4, ymm1
vpaddq ymm23, ymm17, ymm14
vpxor ymm3, ymm3, ymm10
vpxorq ymm16, ymm16, ymm23
vprorq ymm3, ymm3, 16
vprorq ymm16, ymm16, 16
vpaddq ymm2, ymm2, ymm3
vpaddq ymm15, ymm15, ymm16
vpaddq ymm4, ymm11, ymm4
vpaddq ymm17, ymm24, ymm17
vpaddq ymm4, ymm4, ymm1
vpaddq ymm17, ymm17, ymm14
vpermq ymm5, ymm4, 0x4b
vpermq ymm18, ymm17, 0x4b
vpxor ymm1, ymm1, ymm2
vpxor ymm14, ymm14, ymm15
vpshufd ymm8, ymm3, 0x4e
vpshufd ymm21, ymm16, 0x4e
vprorq ymm6, ymm1, 63
vprorq ymm19, ymm14, 63
vpermq ymm7, ymm2, 0x1e
vpermq ymm20, ymm15, 0x1e
.endm
.macro simd_digest_blake2b_pair_diagonals a0, a1, a2, a3, b0, b1, b2, b3
vpbroadcastq ymm4, qword ptr [rsi + \b0]
vpbroadcastq ymm17, qword ptr [r8 + \b0]
vpblendmq ymm4{k1}, ymm4, qword ptr [rsi + \b1]{1to4}
vpblendmq ymm17{k1}, ymm17, qword ptr [r8 + \b1]{1to4}
vpblendmq ymm4{k2}, ymm4, qword ptr [rsi + \b2]{1to4}
vpblendmq ymm17{k2}, ymm17, qword ptr [r8 + \b2]{1to4}
vpblendmq ymm4{k3}, ymm4, qword ptr [rsi + \b3]{1to4}
vpblendmq ymm17{k3}, ymm17, qword ptr [r8 + \b3]{1to4}
vpaddq ymm5, ymm5, ymm6
vpaddq ymm18, ymm18, ymm19
vpxor ymm8, ymm8, ymm5
vpxorq ymm21, ymm21, ymm18
vprorq ymm8, ymm8, 32
vprorq ymm21, ymm21, 32
vpbroadcastq ymm11, qword ptr [rsi + \a0]
vpbroadcastq ymm24, qword ptr [r8 + \a0]
vpblendmq ymm11{k1}, ymm11, qword ptr [rsi + \a1]{1to4}
vpblendmq ymm24{k1}, ymm24, qword ptr [r8 + \a1]{1to4}
vpblendmq ymm11{k2}, ymm11, qword ptr [rsi + \a2]{1to4}
vpblendmq ymm24{k2}, ymm24, qword ptr [r8 + \a2]{1to4}
vpblendmq ymm11{k3}, ymm11, qword ptr [rsi + \a3]{1to4}
vpblendmq ymm24{k3}, ymm24, qword ptr [r8 + \a3]{1to4}
vpaddq ymm7, ymm7, ymm8
vpaddq ymm20, ymm20, ymm21
vpxor ymm6, ymm6, ymm7
vpxorq ymm19, ymm19, ymm20
vpshufb ymm6, ymm6, ymm31
vpshufb ymm19, ymm19, ymm31
vpaddq ymm9, ymm5, ymm9
vpaddq ymm22, ymm18, ymm22
vpaddq ymm10, ymm9, ymm6
vpaddq ymm23, ymm22, ymm19
vpxor ymm8, ymm8, ymm10
vpxorq ymm21, ymm21, ymm23
vprorq ymm8, ymm8, 16
vprorq ymm21, ymm21, 16
vpaddq ymm7, ymm7, ymm8
vpaddq ymm20, ymm20, ymm21
vpaddq ymm9, ymm11, ymm9
vpaddq ymm22, ymm24, ymm22
vpaddq ymm9, ymm9, ymm6
vpaddq ymm22, ymm22, ymm19
vpermq ymm0, ymm9, 0x1e
vpermq ymm13, ymm22, 0x1e
vpxor ymm6, ymm6, ymm7
vpxorq ymm19, ymm19, ymm20
vpshufd ymm3, ymm8, 0x4e
vpshufd ymm16, ymm21, 0x4e
vprorq ymm1, ymm6, 63
vprorq ymm14, ymm19, 63
vpermq ymm2, ymm7, 0x4b
vpermq ymm15, ymm20, 0x4b
.endm
.p2align 6
2:
cmp rdx, 1
jne 3f
vporq ymm26, ymm26, ymmword ptr [rdi + 128]
vporq ymm27, ymm27, ymmword ptr [rdi + 160]
3:
vpbroadcastq ymm0, qword ptr [rsi + 0]
vpbroadcastq ymm13, qword ptr [r8 + 0]
vpblendmq ymm0{k1}, ymm0, qword ptr [rsi + 32]{1to4}
vpblendmq ymm13{k1}, ymm13, qword ptr [r8 + 32]{1to4}
vpblendmq ymm0{k2}, ymm0, qword ptr [rsi + 16]{1to4}
vpblendmq ymm13{k2}, ymm13, qword ptr [r8 + 16]{1to4}
vpblendmq ymm0{k3}, ymm0, qword ptr [rsi + 48]{1to4}
vpblendmq ymm13{k3}, ymm13, qword ptr [r8 + 48]{1to4}
vpaddq ymm0, ymm0, ymmword ptr [rdi + 0]
vpaddq ymm13, ymm13, ymmword ptr [rdi + 64]
vmovdqu64 ymm1, ymmword ptr [rdi + 32]
vmovdqu64 ymm14, ymmword ptr [rdi + 96]
vmovdqu64 ymm2, ymm29
vmovdqu64 ymm15, ymm29
vpxorq ymm3, ymm28, ymm26
vpxorq ymm16, ymm28, ymm27
vpbroadcastq ymm4, qword ptr [rsi + 8]
vpbroadcastq ymm17, qword ptr [r8 + 8]
vpblendmq ymm4{k1}, ymm4, qword ptr [rsi + 40]{1to4}
vpblendmq ymm17{k1}, ymm17, qword ptr [r8 + 40]{1to4}
vpblendmq ymm4{k2}, ymm4, qword ptr [rsi + 24]{1to4}
vpblendmq ymm17{k2}, ymm17, qword ptr [r8 + 24]{1to4}
vpblendmq ymm4{k3}, ymm4, qword ptr [rsi + 56]{1to4}
vpblendmq ymm17{k3}, ymm17, qword ptr [r8 + 56]{1to4}
simd_digest_blake2b_pair_columns 64, 96, 80, 112, 120, 88, 72, 104
simd_digest_blake2b_pair_diagonals 104, 32, 112, 72, 80, 120, 64, 48
simd_digest_blake2b_pair_columns 8, 88, 0, 40, 24, 16, 96, 56
simd_digest_blake2b_pair_diagonals 120, 96, 88, 40, 64, 16, 0, 104
simd_digest_blake2b_pair_columns 80, 56, 24, 72, 32, 48, 112, 8
simd_digest_blake2b_pair_diagonals 88, 24, 56, 104, 72, 96, 8, 112
simd_digest_blake2b_pair_columns 16, 32, 40, 120, 64, 80, 48, 0
simd_digest_blake2b_pair_diagonals 80, 40, 72, 16, 0, 32, 56, 120
simd_digest_blake2b_pair_columns 112, 48, 88, 24, 104, 96, 8, 64
simd_digest_blake2b_pair_diagonals 64, 48, 16, 0, 96, 88, 80, 24
simd_digest_blake2b_pair_columns 32, 120, 56, 8, 72, 40, 104, 112
simd_digest_blake2b_pair_diagonals 32, 8, 96, 112, 40, 104, 120, 80
simd_digest_blake2b_pair_columns 0, 72, 48, 64, 88, 24, 56, 16
simd_digest_blake2b_pair_diagonals 24, 56, 104, 96, 88, 8, 112, 72
simd_digest_blake2b_pair_columns 40, 64, 120, 16, 80, 32, 0, 48
simd_digest_blake2b_pair_diagonals 0, 112, 48, 88, 120, 24, 72, 64
simd_digest_blake2b_pair_columns 96, 8, 104, 80, 40, 56, 16, 32
simd_digest_blake2b_pair_diagonals 8, 64, 80, 56, 16, 48, 32, 40
simd_digest_blake2b_pair_columns 120, 24, 72, 104, 0, 112, 88, 96
simd_digest_blake2b_pair_diagonals 48, 16, 0, 32, 8, 40, 24, 56
simd_digest_blake2b_pair_columns 64, 96, 80, 112, 120, 88, 72, 104
simd_digest_blake2b_pair_diagonals 104, 32, 112, 72, 80, 120, 64, 48
simd_digest_blake2b_pair_columns 8, 88, 0, 40, 24, 16, 96, 56
simd_digest_blake2b_pair_diagonals 120, 96, 88, 40, 64, 16, 0, 104
vpermq ymm0, ymm10, 0x1e
vpermq ymm13, ymm23, 0x1e
vpternlogq ymm0, ymm2, ymmword ptr [rdi + 0], 0x96
vpternlogq ymm13, ymm15, ymmword ptr [rdi + 64], 0x96
vmovdqu64 ymmword ptr [rdi + 0], ymm0
vmovdqu64 ymmword ptr [rdi + 64], ymm13
vpternlogq ymm1, ymm3, ymmword ptr [rdi + 32], 0x96
vpternlogq ymm14, ymm16, ymmword ptr [rdi + 96], 0x96
vmovdqu64 ymmword ptr [rdi + 32], ymm1
vmovdqu64 ymmword ptr [rdi + 96], ymm14
vpaddq ymm26, ymm26, ymmword ptr [rdi + 192]
vpaddq ymm27, ymm27, ymmword ptr [rdi + 192]
add rsi, rcx
add r8, rcx
dec rdx
jnz 2b
.purgem simd_digest_blake2b_pair_columns
.purgem simd_digest_blake2b_pair_diagonals
