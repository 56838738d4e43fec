// A network namespace in which hosts can be silent, absent, or wrong without changing the machine's settings.
import { spawnSync } from 'node:child_process';

/** `hostile-targets.ts` uses the same addresses. */
const SETUP = [
  'ip link set lo up',
  'ip link add v0 type veth peer name v1',
  'ip addr add 10.99.0.1/24 dev v0',
  'ip link set v0 up',
  'ip link set v1 up',
  'echo 100 > /proc/sys/net/ipv4/neigh/v0/retrans_time_ms',
  'ip neigh add 10.99.0.9 lladdr 02:00:00:00:00:09 dev v0 nud permanent',
  'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range',
  'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all',
].join('\n');

const inNamespace = (script) => ['unshare', '-n', 'sh', '-ec', script, 'sh'];

/** Returns the prefix that runs a command in a separate network, or `null` if none can be created. */
export function ownNetwork() {
  const [command, ...words] = inNamespace(SETUP);
  const { status } = spawnSync(command, words, { stdio: 'ignore' });
  return status === 0 ? inNamespace(`${SETUP}\nexec "$@"`) : null;
}
