import type { TestEndpointResult } from '../../client/index.cjs';
import { painter, shown, STATUS_COLOURS } from './style';

export type ShownCheck = Pick<
  TestEndpointResult,
  | 'outcome'
  | 'duration_ms'
  | 'phases'
  | 'status_code'
  | 'address'
  | 'certificate'
  | 'records'
  | 'redirects'
  | 'error'
  | 'warning'
>;

/** Returns the outcome, followed by what went wrong. With `isVerbose`, the details follow, one per line. */
export function checkLines(name: string, check: ShownCheck, hasColour: boolean, isVerbose = false): string[] {
  const { outcome, duration_ms, status_code, address, error } = check;
  const warning = outcome === 'up' ? check.warning : null;
  const colour = STATUS_COLOURS[warning ? 'degraded' : outcome] ?? 'faint';
  const facts = [
    duration_ms !== null && `${duration_ms.toFixed(1)} ms`,
    status_code && `status ${status_code}`,
    address,
  ];
  const title = `${painter(hasColour)(colour, outcome)}  ${shown(name)}  ${facts.filter(Boolean).join(', ')}`;
  return [
    title,
    ...[error, warning].flatMap((said) => (said ? [`  ${said.code}: ${shown(said.message, 500)}`] : [])),
    ...(isVerbose ? factLines(check) : []),
  ];
}

function factLines({ phases, certificate, records, redirects }: ShownCheck): string[] {
  const times = Object.entries(phases).flatMap(([phase, ms]) =>
    ms === null ? [] : [[phase.replace(/_ms$/, '').replace('_', ' '), `${ms.toFixed(ms < 10 ? 2 : 1)} ms`] as const],
  );
  const seen = certificate
    ? ([
        ['certificate', `${certificate.subject}, issued by ${certificate.issuer}, expires ${certificate.expires_at}`],
        ['names', certificate.names.join(', ')],
      ] as const)
    : [];
  const facts = [
    ...times,
    ...redirects.map((redirect) => ['redirect', redirect] as const),
    ...seen,
    ...(records ?? []).map((record) => ['record', record] as const),
  ];
  return facts.map(([name, value]) => `  ${name.padEnd(12)}${shown(value, 500)}`);
}
