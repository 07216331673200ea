// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/child"
)

// postgres is a PostgreSQL server that answers pgbench. Its data and its socket lie in a
// temporary folder that nobody else may enter, so nobody else can ask it. If this process
// is killed, the folder stays, and with it the 56 bytes of shared memory by which a server
// knows that it is the only one.
type postgres struct{}

func (postgres) Name() string { return "postgres-pgbench" }

func (postgres) Open(ctx context.Context) (Source, error) {
	programs, err := findPostgres()
	if err != nil {
		return nil, err
	}
	s := &postgresServer{programs: programs}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start a PostgreSQL server: %w", err), s.Close())
	}
	return s, nil
}

// packaged is where Debian puts, for each version, what PATH does not have.
const packaged = "/usr/lib/postgresql/*/bin"

// findPostgres finds the programs, by name.
func findPostgres() (map[string]string, error) {
	dirs, _ := filepath.Glob(packaged)
	programs := map[string]string{}
	for _, name := range []string{"initdb", "postgres", "pgbench", "pg_isready"} {
		path, err := exec.LookPath(name)
		for _, dir := range slices.Backward(dirs) {
			if err != nil {
				path, err = exec.LookPath(filepath.Join(dir, name))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: PostgreSQL's %s is not installed", harness.ErrAbsent, name)
		}
		programs[name] = path
	}
	return programs, nil
}

type postgresServer struct {
	programs map[string]string
	// credential is who the server runs as: it refuses to be root.
	credential *syscall.Credential
	dir        string
	server     *child.Child
}

// open makes a database of pgbench's smallest size and starts the server.
func (s *postgresServer) open(ctx context.Context) error {
	if err := s.makeDir(); err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	if err := s.carryOut(ctx, "initdb", "-D", data, "-A", "trust", "-U", databaseUser, "--no-sync"); err != nil {
		return err
	}
	var err error
	s.server, err = child.Start(s.command("postgres", "-D", data, "-k", s.dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "autovacuum=off", "-c", "dynamic_shared_memory_type=mmap"))
	if err != nil {
		return err
	}
	if err := s.awaitReady(ctx); err != nil {
		return err
	}
	return s.carryOut(ctx, "pgbench", "-h", s.dir, "-U", databaseUser, "-i", "-q", database)
}

const (
	database     = "postgres"
	databaseUser = "load"
)

// makeDir makes the folder and gives it to the user that the server runs as.
func (s *postgresServer) makeDir() (err error) {
	if s.dir, err = os.MkdirTemp("", "postgres-load-"); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	if s.credential, err = unprivileged(); err != nil {
		return err
	}
	return os.Chown(s.dir, int(s.credential.Uid), int(s.credential.Gid))
}

// unprivileged is the user that packages make for PostgreSQL, or else nobody.
func unprivileged() (*syscall.Credential, error) {
	found, err := user.Lookup("postgres")
	if err != nil {
		found, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("find a user to run as: %w", err)
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("find a user to run as: %w", err)
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("find a user to run as: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func (s *postgresServer) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(s.programs[name], args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"LC_ALL=C", "HOME=" + s.dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential}
	return cmd
}

// carryOut runs a program to its end.
func (s *postgresServer) carryOut(ctx context.Context, name string, args ...string) error {
	c, err := child.Start(s.command(name, args...))
	if err != nil {
		return err
	}
	return endOf(ctx, c, name)
}

// endOf waits for the end of a child, which comes early if the context ends.
func endOf(ctx context.Context, c *child.Child, name string) error {
	stop := context.AfterFunc(ctx, c.Kill)
	defer stop()
	err := c.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

const (
	readyWithin = 30 * time.Second
	lookEvery   = 20 * time.Millisecond
)

func (s *postgresServer) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("not ready within %v", readyWithin))
	defer cancel()
	for {
		if err := s.carryOut(ctx, "pg_isready", "-h", s.dir, "-q"); err == nil {
			return nil
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.server.Ended():
			return s.server.Because(errors.New("it ended at once"))
		}
	}
}

func (*postgresServer) Few() uint64 { return 2000 }

func (s *postgresServer) Start(_ context.Context, units uint64) (Run, error) {
	return &pgbenchRun{postgresServer: s, units: units}, nil
}

// Close ends the server, without regard for its clients, and removes its data.
func (s *postgresServer) Close() error {
	if s.server != nil {
		s.server.Signal(syscall.SIGINT)
		select {
		case <-s.server.Ended():
		case <-time.After(leaveTime):
			s.server.Kill()
		}
		s.server = nil
	}
	if s.dir == "" {
		return nil
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the database: %w", err)
	}
	return nil
}

// leaveTime is what the server has to end its processes.
const leaveTime = 5 * time.Second
