package bpf
import ("testing";"github.com/cilium/ebpf";"errors";"fmt")
func TestLoad(t *testing.T){ o,err:=Load(Options{Target:1,Children:true,Events:true,UserStacks:true,KernelStacks:KernelStacksUnexplained}); var ve *ebpf.VerifierError; if errors.As(err,&ve){ fmt.Printf("%+v\n",ve)}; if err!=nil {t.Fatal(err)}; o.Close(); e,err:=LoadEmpty(); if err!=nil{t.Fatal(err)}; e.Close()}
