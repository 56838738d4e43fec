import type { Owner } from '../../platform/net/fair-semaphore';
import { attemptInTurn } from '../../platform/net/staggered-attempts';
import type { EchoResult, IcmpTransport } from './icmp-transport';

/** The next address of a name is pinged as well when one has been silent for this long (RFC 8305, section 5). */
const NEXT_ADDRESS_AFTER_MS = 250;

/** More addresses of one name than this are not pinged. */
const ADDRESSES = 4;

/** How pinging one address ended; `null` is silence until the signal aborted. */
export interface AddressEcho {
  address: string;
  result: EchoResult | null;
}

/** Pings the addresses of a name in turn. The first reply counts; without one the first refusal, then silence. */
export async function echoAny(
  transport: IcmpTransport,
  addresses: readonly string[],
  owner: Owner,
  signal: AbortSignal,
): Promise<AddressEcho> {
  const echoes = await attemptInTurn<string, AddressEcho>(
    addresses.slice(0, ADDRESSES),
    {
      nextAfterMs: NEXT_ADDRESS_AFTER_MS,
      attempt: async (address, until) => ({ address, result: await transport.echo(address, owner, until) }),
      isGood: ({ result }) => result?.kind === 'reply',
    },
    signal,
  );
  const reply = echoes.find(({ result }) => result?.kind === 'reply');
  const refusal = echoes.find(({ result }) => result !== null);
  return reply ?? refusal ?? echoes[0] ?? { address: addresses[0] ?? '', result: null };
}
