// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/os2026/ebpf-rca/results"
)

// Message is what a guest tells the host; one of its fields is set.
type Message struct {
	// Booted is told as soon as the guest's file systems are there.
	Booted *Booted `json:"booted,omitempty"`
	// Env is what the guest finds itself to be.
	Env *results.Env `json:"env,omitempty"`
	// Begin tells that a run of the plan begins.
	Begin *results.Run `json:"begin,omitempty"`
	// Record and File are to be kept.
	Record *results.Record `json:"record,omitempty"`
	File   *File           `json:"file,omitempty"`
	// End is the last.
	End *End `json:"end,omitempty"`
}

// Booted says which kernel came up.
type Booted struct {
	Release string `json:"release"`
}

// File is one of a result folder.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// End says how the guest's part went.
type End struct {
	Code int `json:"code"`
	// Reason is why nothing more can be played, if so.
	Reason string `json:"reason,omitempty"`
}

// Sender writes messages to the host: a line each, of a checksum and of what it is the
// checksum of, compressed and in base64. A serial port passes such lines as they are.
type Sender struct {
	w       io.Writer
	encoder *zstd.Encoder
}

// NewSender makes one that writes to w.
func NewSender(w io.Writer) (*Sender, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return &Sender{w, encoder}, nil
}

// Send writes one message.
func (s *Sender) Send(m Message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	text := base64.StdEncoding.EncodeToString(s.encoder.EncodeAll(data, nil))
	line := fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(text)), text)
	if _, err := io.WriteString(s.w, line); err != nil {
		return fmt.Errorf("send message: %w", err)
	}
	return nil
}

// Limits on what is read: a ledger of the longest run has a few hundred kilobytes.
const (
	maxMessageLine = 64 << 20
	maxMessage     = 256 << 20
)

// errDamaged says that a line is no message. What it was to tell is lost.
var errDamaged = errors.New("damaged message")

// receiver reads messages.
type receiver struct {
	lines   *bufio.Reader
	decoder *zstd.Decoder
}

func newReceiver(r io.Reader) (*receiver, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMessage))
	if err != nil {
		return nil, err
	}
	return &receiver{bufio.NewReaderSize(r, 1<<16), decoder}, nil
}

// next returns the next message, io.EOF at the end, or an error that wraps errDamaged for
// one line. A last line without an end is torn, and damaged.
func (r *receiver) next() (Message, error) {
	line, err := r.line()
	if errors.Is(err, io.EOF) && line != "" {
		return Message{}, fmt.Errorf("%w: it is cut off after %d bytes", errDamaged, len(line))
	}
	if err != nil {
		return Message{}, err
	}
	m, err := r.decode(strings.TrimRight(line, "\r\n"))
	if err != nil {
		return Message{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return m, nil
}

func (r *receiver) line() (string, error) {
	var line strings.Builder
	for {
		part, err := r.lines.ReadSlice('\n')
		line.Write(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && line.Len() <= maxMessageLine:
		case errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("a line of more than %d bytes", maxMessageLine)
		default:
			return line.String(), err
		}
	}
}

func (r *receiver) decode(line string) (Message, error) {
	sum, text, _ := strings.Cut(line, " ")
	want, err := strconv.ParseUint(sum, 16, 32)
	if err != nil || len(sum) != 8 {
		return Message{}, errors.New("no checksum")
	}
	if uint32(want) != crc32.ChecksumIEEE([]byte(text)) {
		return Message{}, errors.New("wrong checksum")
	}
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return Message{}, err
	}
	data, err := r.decoder.DecodeAll(packed, nil)
	if err != nil {
		return Message{}, err
	}
	var m Message
	return m, json.Unmarshal(data, &m)
}
