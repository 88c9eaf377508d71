import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeInto } from '../node-binary.ts'

/** A machine with Debian 12 that this process started: systemd, sshd, and a network of its own. */
export interface Debian {
  /** Runs a program in the machine's network, where `localhost` is the machine. */
  readonly inNetwork: (command: string, args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>
  /** Folder with an `ssh` that has the key of root. */
  readonly bin: string
  readonly stop: () => void
}

const programs = ['debootstrap', 'systemd-nspawn', 'slirp4netns', 'unshare', 'nsenter', 'ssh', 'rsync']
const packages = 'systemd,systemd-sysv,dbus,openssh-server,ca-certificates,curl,iproute2'

/** The reason why no machine can be started here; null if one can. */
export function noDebian(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root'
  const missing = programs.filter((program) => !has(program))
  return missing.length === 0 ? null : `missing: ${missing.join(', ')}`
}

function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Installs Debian 12 into the folder, unless it is there, and boots it. Node 22 and npm are put in, because the address
 * from which `server.sh` would install them may be out of reach.
 */
export async function bootDebian(folder: string): Promise<Debian> {
  const [base, over, bin] = ['base', 'over', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  if (!existsSync(join(base, 'usr/sbin/sshd'))) {
    const args = [
      '--variant=minbase',
      `--include=${packages}`,
      'bookworm',
      base,
      'http://deb.debian.org/debian',
    ]
    execFileSync('debootstrap', args, { stdio: 'ignore' })
  }
  for (const name of ['upper/root/.ssh', 'upper/usr/local/bin', 'work', 'root'])
    mkdirSync(join(over, name), { recursive: true })
  mkdirSync(bin, { recursive: true })
  putNode(folder, join(over, 'upper/usr/local'))
  const key = join(folder, 'key')
  if (!existsSync(key)) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  writeFileSync(join(over, 'upper/root/.ssh/authorized_keys'), readFileSync(`${key}.pub`), { mode: 0o600 })
  execFileSync('chmod', ['700', join(over, 'upper/root'), join(over, 'upper/root/.ssh')])
  const options = `-i ${key} -o StrictHostKeyChecking=no -o LogLevel=ERROR -o UserKnownHostsFile=${join(folder, 'known')}`
  writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh ${options} "$@"\n`, { mode: 0o755 })

  const boot = [
    'set -e',
    `mount -t overlay overlay -o lowerdir=${base},upperdir=${over}/upper,workdir=${over}/work ${over}/root`,
    'ip link set lo up',
    // Without a network of its own, the firewall would close ports of this machine.
    `exec systemd-nspawn --quiet --register=no --keep-unit --capability=CAP_NET_ADMIN --resolv-conf=copy-host -D ${over}/root --boot`,
  ].join('\n')
  const machine = spawn('unshare', ['-mnpf', '--mount-proc', '--kill-child', 'sh', '-c', boot], {
    detached: true,
    stdio: 'ignore',
  })
  await pause(2000)
  const [inside = ''] = execFileSync('pgrep', ['-P', String(machine.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const network = spawn(
    'slirp4netns',
    ['--configure', '--mtu=65520', '--disable-host-loopback', inside, 'tap0'],
    {
      stdio: 'ignore',
    },
  )
  const inNetwork = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
    new Promise((done) => {
      const child = spawn('nsenter', ['-t', inside, '-n', command, ...args], { env, stdio: 'inherit' })
      child.once('close', (code) => done(code ?? 1))
    })
  const stop = () => {
    network.kill()
    machine.kill('SIGKILL')
  }
  for (let tries = 0; ; tries++) {
    if ((await inNetwork(join(bin, 'ssh'), ['root@localhost', 'true'], process.env)) === 0) break
    if (tries === 30) {
      stop()
      throw new Error('the machine does not answer')
    }
    await pause(1000)
  }
  return { inNetwork, bin, stop }
}

function putNode(folder: string, local: string): void {
  const home = nodeInto(folder, '22')
  for (const name of ['bin', 'include']) cpSync(join(home, name), join(local, name), { recursive: true })
  const npm = join(execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim(), 'npm')
  const there = join(local, 'lib/node_modules/npm')
  if (!existsSync(there)) cpSync(npm, there, { recursive: true, verbatimSymlinks: true })
  for (const name of ['npm', 'npx'])
    if (!existsSync(join(local, 'bin', name)))
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
  // Headers for what is compiled, and the authorities that this machine trusts: its network may have one of its own.
  mkdirSync(join(local, 'etc'), { recursive: true })
  cpSync(
    process.env.NODE_EXTRA_CA_CERTS ?? '/etc/ssl/certs/ca-certificates.crt',
    join(local, 'etc/trusted.crt'),
  )
  writeFileSync(join(local, 'etc/npmrc'), 'nodedir=/usr/local\ncafile=/usr/local/etc/trusted.crt\n')
}
