import { get } from '../api/client';
import type { System } from '../api/types';
import { overloadText } from '../logic/overload-text';
import { now } from '../state/clock';
import { useEvery, useLoad } from '../state/load';
import { may, session } from '../state/session';
import { HelpLink } from './help-link';

type Overload = System['scheduler']['overload'];

/** A message that is shown while the installation is overloaded. */
export const OverloadLine = ({ of, help }: { of: Overload; help?: string }) =>
  of && (
    <p class="notice warn overload" role="status">
      {overloadText(of, now.value)} {help && <a href={help}>How to fix this</a>}
    </p>
  );

/**
 * The overload message for pages that don't load the system state. Only admins in the Default organization may read it.
 */
export const OverloadWatch = () => (may.admin() && session.value?.is_default ? <Watched /> : null);

function Watched() {
  const system = useLoad('system', (signal) => get<System>('/api/v1/system', signal));
  useEvery(15, system.reload);
  return <OverloadLine of={system.data.value?.scheduler.overload ?? null} help="#/settings/system" />;
}

/** Suggests what an operator can do about overload. */
export const OverloadHelp = () => (
  <div class="section">
    <h2>How to fix this</h2>
    <p>
      Use longer intervals for checks that can wait, add another process with ROLE=worker on the same PostgreSQL, or use
      a faster machine. See <HelpLink page="guides/operate/scaling#more-checks-than-fit">Scaling</HelpLink>. Skipped
      checks lower the coverage of an uptime, never the uptime itself.
    </p>
  </div>
);
