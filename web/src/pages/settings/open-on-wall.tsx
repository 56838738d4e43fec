import { post } from '../../api/client';
import type { CreatedApiKey, CreatedSession } from '../../api/types';
import { confirmed } from '../../components/dialog';
import { Button, Section } from '../../components/layout';
import { go } from '../../state/router';
import { begin } from '../../state/session';
import { runAction } from '../../state/toast';

/**
 * Turns this browser into a wall display. It signs in with a separate read-only key, which is never shown or put in a
 * URL.
 */
async function open(): Promise<void> {
  const text =
    'You are signed out here, and this browser continues with a new read-only key named “Wall”. It shows the wall until that key is revoked, or until the browser was closed or off for seven days.';
  if (!(await confirmed('Open on a wall', text))) return;
  await runAction(async () => {
    const { key } = await post<CreatedApiKey>('/api/v1/api-keys', { name: 'Wall', role: 'read' });
    begin(await post<CreatedSession>('/auth/session', { api_key: key }));
    go('/?wall');
  });
}

export const OpenOnWall = () => (
  <Section title="Wall display">
    <p>
      Shows every endpoint as a tile, the worst first and largest. Press the button in the browser of that screen, or
      sign in there with a read key and open <a href="#/?wall">the wall</a>. Filters in the URL also apply to the wall.
    </p>
    <p class="actions">
      <Button onClick={open}>Open on a wall…</Button>
    </p>
  </Section>
);
