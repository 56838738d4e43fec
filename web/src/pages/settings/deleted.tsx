import { useSignal } from '@preact/signals';
import { post } from '../../api/client';
import type { DeletedEndpoint } from '../../api/types';
import { Button, Table } from '../../components/layout';
import { count, time } from '../../logic/format';
import { now } from '../../state/clock';
import { usePages } from '../../state/load';
import { refreshSoon } from '../../state/overview-store';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';

/** Lists deleted endpoints, which can be restored for seven days. */
export function DeletedEndpoints() {
  const version = useSignal(0);
  const deleted = usePages<DeletedEndpoint>('/api/v1/deleted-endpoints?limit=50', version.value);
  const restore = async ({ id, name }: DeletedEndpoint) => {
    const isDone = await runAction(
      () => post(`/api/v1/deleted-endpoints/${id}/restore`),
      `${name} is restored, with its history and alert rules.`,
    );
    if (!isDone) return;
    version.value++;
    refreshSoon();
  };
  const items = deleted.items.value;
  if (!items) return <p class="muted">Loading…</p>;
  if (items.length === 0) return <p class="muted">No deleted endpoints. You can restore one for 7 days here.</p>;
  return (
    <>
      <p class="muted">You can restore an endpoint for 7 days, with its history and alert rules.</p>
      <Table
        label="Deleted endpoints"
        head={['Endpoint', 'Website', 'Alert rules', 'Deleted', 'Until', '']}
        rows={items.map((each) => [
          each.name,
          each.website_name,
          count(each.alert_count, 'alert rule'),
          `${time(each.deleted_at, now.value)}${each.deleted_by === null ? '' : ` by ${each.deleted_by}`}`,
          time(each.restorable_until, now.value),
          may.write() && <Button onClick={() => restore(each)}>Restore</Button>,
        ])}
      />
      {deleted.older && (
        <p class="below">
          <Button onClick={deleted.older}>Older</Button>
        </p>
      )}
    </>
  );
}
