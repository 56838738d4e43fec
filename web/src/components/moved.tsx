import type { Session } from '../api/types';
import { discarded } from '../state/drafts';
import { go } from '../state/router';
import { begin, session, switchTo } from '../state/session';
import { runAction } from '../state/toast';
import { Button } from './layout';

/**
 * Reports that another window has switched organizations, and lets the user follow or switch back. Forms keep their
 * values until then.
 */
export function Moved({ to }: { to: Session }) {
  const { organization } = session.value ?? {};
  const isBackPossible = to.organizations.some(({ id }) => id === organization?.id);
  const goBack = async (id: string) => {
    await switchTo(id);
    // Reloads data that was refused in the meantime, and restores the forms.
    discarded.value++;
  };
  return (
    <p class="lost" role="alert">
      You switched to “{to.organization.name}” in another window. This window still shows “{organization?.name}” and is
      read-only.{' '}
      <Button
        onClick={() => {
          begin(to);
          go('/');
        }}
      >
        Go to {to.organization.name}
      </Button>{' '}
      {isBackPossible && organization && (
        <Button onClick={() => runAction(() => goBack(organization.id))}>Back to {organization.name}</Button>
      )}
    </p>
  );
}
