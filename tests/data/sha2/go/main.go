// Prints states of SHA-2 as Go's crypto/sha256 and crypto/sha512 marshal them, which are in ../go.txt. From this directory:
//
//	go run main.go > ../go.txt
//	go run main.go | cmp - ../go.txt
package main

import (
	"bufio"
	"crypto/sha256"
	"crypto/sha512"
	"encoding"
	"fmt"
	"hash"
	"os"
)

const header = `# States of SHA-2 as Go marshals them. Written by go/main.go: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   hash     sha224, sha256, sha384, sha512, sha512_224 or sha512_256
#   length   bytes hashed so far; byte i of the message is i % 251
#   state    hex, 108 bytes, or 204
#   digest   hex, of these bytes
`

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprint(out, header)
	narrow := []int{0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 1000}
	wide := []int{0, 1, 111, 112, 127, 128, 129, 239, 240, 255, 256, 257, 1000}
	for _, kind := range []struct {
		name    string
		new     func() hash.Hash
		lengths []int
	}{
		{"sha224", sha256.New224, narrow},
		{"sha256", sha256.New, narrow},
		{"sha384", sha512.New384, wide},
		{"sha512", sha512.New, wide},
		{"sha512_224", sha512.New512_224, wide},
		{"sha512_256", sha512.New512_256, wide},
	} {
		for _, length := range kind.lengths {
			h := kind.new()
			message := make([]byte, length)
			for i := range message {
				message[i] = byte(i % 251)
			}
			h.Write(message)
			state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(out, "hash=%s length=%d state=%x digest=%x\n", kind.name, length, state, h.Sum(nil))
		}
	}
}
