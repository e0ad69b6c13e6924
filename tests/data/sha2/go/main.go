// Prints states of SHA-224 and SHA-256 as Go's crypto/sha256 marshals them, which are in ../go.txt. From this directory:
//
//	go run main.go > ../go.txt
//	go run main.go | cmp - ../go.txt
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"os"
)

const header = `# States of SHA-224 and SHA-256 as Go marshals them. Written by go/main.go: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   hash     sha224 or sha256
#   length   bytes hashed so far; byte i of the message is i % 251
#   state    hex, 108 bytes
#   digest   hex, of these bytes
`

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprint(out, header)
	for _, bits := range []int{224, 256} {
		for _, length := range []int{0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 1000} {
			var h hash.Hash
			if bits == 224 {
				h = sha256.New224()
			} else {
				h = sha256.New()
			}
			message := make([]byte, length)
			for i := range message {
				message[i] = byte(i % 251)
			}
			h.Write(message)
			state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(out, "hash=sha%d length=%d state=%x digest=%x\n", bits, length, state, h.Sum(nil))
		}
	}
}
