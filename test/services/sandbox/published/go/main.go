// Pays questions with the SDK of x402 for Go, as its documentation has it, and prints the answers.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	x402 "github.com/x402-foundation/x402/go"
	x402http "github.com/x402-foundation/x402/go/http"
	evm "github.com/x402-foundation/x402/go/mechanisms/evm/exact/client"
	solana "github.com/x402-foundation/x402/go/mechanisms/svm"
	svm "github.com/x402-foundation/x402/go/mechanisms/svm/exact/client"
	evmkeys "github.com/x402-foundation/x402/go/signers/evm"
	svmkeys "github.com/x402-foundation/x402/go/signers/svm"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	payer := x402.Newx402Client()
	if os.Getenv("NETWORK") == "base" {
		payer.Register("eip155:*", evm.NewExactEvmScheme(must(evmkeys.NewClientSignerFromPrivateKey(os.Getenv("FAREBOX_KEY"))), nil))
	} else {
		node := &solana.ClientConfig{RPCURL: os.Getenv("FAREBOX_SOLANA_RPC")}
		payer.Register("solana:*", svm.NewExactSvmScheme(must(svmkeys.NewClientSignerFromPrivateKey(os.Getenv("SOLANA_KEY"))), node))
	}
	client := x402http.WrapHTTPClientWithPayment(http.DefaultClient, x402http.Newx402HTTPClient(payer))
	for _, question := range []string{`{"from":"USD","to":"JPY"}`, `{"from":"EUR","to":"USD"}`} {
		answer := must(client.Post(os.Getenv("FAREBOX_URL")+"/fx", "application/json", strings.NewReader(question)))
		fmt.Println(string(must(io.ReadAll(answer.Body))))
	}
}
