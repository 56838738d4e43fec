import type { DialedTls } from './check-result-builder';
import type { CheckRequest } from './checker';

/** Returns how a check starts TLS with its target, by the TLS settings of the endpoint. */
export function tlsOf({ tls }: Pick<CheckRequest<unknown>, 'tls'>, alpn?: string[]): DialedTls {
  const verify = tls?.verify ?? true;
  return {
    ...(alpn && { alpn }),
    servername: tls?.serverName ?? undefined,
    ca: verify ? (tls?.ca ?? null) : null,
    verify,
  };
}
