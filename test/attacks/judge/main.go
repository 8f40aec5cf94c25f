// Judges claims about a log with Go's own code: golang.org/x/mod/sumdb. It reads claims as lines of JSON and answers each
// with 1 or 0.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type claim struct {
	Note  string
	Key   string
	Size  int64
	Root  []byte
	Index int64
	Leaf  []byte
	From  int64
	Old   []byte
	Proof [][]byte
}

func hash(bytes []byte) (h tlog.Hash) {
	copy(h[:], bytes)
	return h
}

func holds(c claim) error {
	if c.Note != "" {
		verifier, err := note.NewVerifier(c.Key)
		if err != nil {
			return err
		}
		_, err = note.Open([]byte(c.Note), note.VerifierList(verifier))
		return err
	}
	var proof []tlog.Hash
	for _, each := range c.Proof {
		if len(each) != tlog.HashSize {
			return fmt.Errorf("a hash of %d bytes", len(each))
		}
		proof = append(proof, hash(each))
	}
	if c.From > 0 {
		return tlog.CheckTree(proof, c.Size, hash(c.Root), c.From, hash(c.Old))
	}
	return tlog.CheckRecord(proof, c.Size, hash(c.Root), c.Index, tlog.RecordHash(c.Leaf))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var c claim
		if json.Unmarshal(lines.Bytes(), &c) == nil && holds(c) == nil {
			out.WriteString("1")
		} else {
			out.WriteString("0")
		}
	}
}
