import { get } from '../../api/client';
import { at } from '../../api/home';
import type { System } from '../../api/types';
import { Data, Facts } from '../../components/layout';
import { OverloadHelp, OverloadLine } from '../../components/overload';
import { StatusPill } from '../../components/status';
import { bytes, count, duration } from '../../logic/format';
import { now } from '../../state/clock';
import { useEvery, useLoad } from '../../state/load';

/** Shows a value, highlighted if it is a problem. */
const judged = (isBad: boolean, text: string) => (isBad ? <StatusPill status="down" word={text} /> : text);

/** Shows the installation's state to the Default organization. */
export function SystemState() {
  const system = useLoad('system', (signal) => get<System>('/api/v1/system', signal));
  useEvery(5, system.reload);
  return (
    <Data of={system}>
      {({ scheduler, outbox, database, retention, ...process }) => {
        const lag = scheduler.lag_ms / 1000;
        const oldest = outbox.oldest_pending_age_seconds ?? 0;
        return (
          <>
            <OverloadLine of={scheduler.overload} />
            <Facts
              of={[
                ['Scheduler', judged(lag > 5, lag < 1 ? 'on time' : `${duration(lag)} behind`)],
                ['Scheduled endpoints', scheduler.active_endpoints.toLocaleString('en')],
                ['Checks per second', scheduler.checks_per_second.toLocaleString('en')],
                ['Pending deliveries', outbox.pending.toLocaleString('en')],
                [
                  'Oldest pending delivery',
                  judged(oldest > 300, outbox.pending === 0 ? 'none' : `${duration(oldest)} old`),
                ],
                [
                  'Failed deliveries',
                  <>
                    {judged(outbox.failed > 0, outbox.failed.toLocaleString('en'))}
                    {outbox.failed > 0 && (
                      <>
                        {' '}
                        <a href="#/alerts/failed">show for this organization</a>
                      </>
                    )}
                  </>,
                ],
                [
                  'Database',
                  `${database.kind === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL'} ${database.version}, ${bytes(database.size_bytes)}`,
                ],
                ['Memory', bytes(process.memory_bytes)],
                [
                  'Version',
                  `${process.version}, role ${process.role}, up ${duration((now.value - Date.parse(process.started_at)) / 1000)}`,
                ],
                ['Single checks are kept for', count(retention.raw_days, 'day')],
                ['Hourly and daily stats are kept for', count(retention.rollup_days, 'day')],
              ]}
            />
            {scheduler.overload && <OverloadHelp />}
            <p class="section muted small">
              Set the retention where you start the service, with RAW_RETENTION_DAYS and ROLLUP_RETENTION_DAYS. See also{' '}
              <a href={at('/metrics')}>/metrics</a> and <a href={at('/health/ready')}>/health/ready</a>.
            </p>
          </>
        );
      }}
    </Data>
  );
}
