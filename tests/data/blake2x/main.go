// Prints the test vectors of BLAKE2X, which are in ../blake2x.txt. From this directory:
//
//	go run . > ../blake2x.txt
//	go run . | cmp - ../blake2x.txt
//
// The oracle is golang.org/x/crypto, of the version in go.mod, or in Debian's golang-golang-x-crypto-dev:
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run . | cmp - ../blake2x.txt
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
)

const header = `# BLAKE2X test vectors. Written by blake2x/main.go: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   hash     blake2xb or blake2xs
#   xof      length of the output in bytes; 0 is unknown
#   key      length of the key in bytes; 0 is none. Byte i of the key is 255 - i
#   message  length of the message in bytes; byte i of it is i % 251
#   read     how much of the output is read, in bytes
#   output   what was read in hex, if that is at most 64 bytes, else its BLAKE2b digest of 16 bytes
`

// Both hashes read as they are written.
type xof interface {
	io.Writer
	io.Reader
}

type hash struct {
	name string
	// Bytes of a digest, which are half of a block.
	size int
	// Of the output.
	longest uint32
	new     func(length uint32, key []byte) (xof, error)
}

var hashes = []hash{
	{"blake2xb", blake2b.Size, 1<<32 - 2, func(length uint32, key []byte) (xof, error) {
		if length == 0 {
			return blake2b.NewXOF(blake2b.OutputLengthUnknown, key)
		}
		return blake2b.NewXOF(length, key)
	}},
	{"blake2xs", blake2s.Size, 1<<16 - 2, func(length uint32, key []byte) (xof, error) {
		if length == 0 {
			return blake2s.NewXOF(blake2s.OutputLengthUnknown, key)
		}
		return blake2s.NewXOF(uint16(length), key)
	}},
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprint(out, header)
	for _, hash := range hashes {
		hash.vectors(out)
	}
}

func (h hash) vectors(out io.Writer) {
	block := 2 * h.size
	keys := []int{0, 1, h.size}
	around := []int{0, 1, block - 1, block, block + 1, 2*block - 1, 2 * block, 2*block + 1, 1000}
	lengths := []uint32{0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, h.longest - 1, h.longest}
	for _, key := range keys {
		// Every length of the output.
		for _, length := range lengths {
			fmt.Fprintln(out, h.vector(length, key, 3, 66000))
		}
		// Every length of the message that has something about it.
		for _, message := range around {
			for _, length := range []uint32{0, uint32(h.size) + 1} {
				fmt.Fprintln(out, h.vector(length, key, message, h.size+1))
			}
		}
	}
	// Many blocks, of a length that is no multiple of anything.
	fmt.Fprintln(out, h.vector(0, 0, 3, 1<<20+77))
}

// The first bytes to be read of the output of `length` bytes, unknown if 0.
func (h hash) vector(length uint32, key, message, read int) string {
	if length > 0 && uint64(read) > uint64(length) {
		read = int(length)
	}
	keyBytes := make([]byte, key)
	for i := range keyBytes {
		keyBytes[i] = byte(255 - i)
	}
	x, err := h.new(length, keyBytes)
	check(err)
	for i := 0; i < message; i++ {
		_, err := x.Write([]byte{byte(i % 251)})
		check(err)
	}
	output := make([]byte, read)
	_, err = io.ReadFull(x, output)
	check(err)

	if read > 64 {
		digest, err := blake2b.New(16, nil)
		check(err)
		digest.Write(output)
		output = digest.Sum(nil)
	}
	return fmt.Sprintf("hash=%s xof=%d key=%d message=%d read=%d output=%s",
		h.name, length, key, message, read, hex.EncodeToString(output))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
