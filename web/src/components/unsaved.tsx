import { discard, type Draft, drafts } from '../state/drafts';
import { address } from '../state/router';
import { Button } from './layout';

/** Shows links to unsaved forms, or says that their values were restored. */
export function Unsaved() {
  const shown = drafts.value.filter(({ at, isResumed }) => isResumed || at !== address.value);
  return (
    shown.length > 0 && (
      <aside class="unsaved" aria-label="Unsaved changes">
        {shown.map((draft) => (
          <Line key={draft.at} of={draft} />
        ))}
      </aside>
    )
  );
}

const Line = ({ of: { at, what } }: { of: Draft }) => (
  <p>
    {at === address.value ? (
      'You have not saved this yet.'
    ) : (
      <>
        You have {what}: <a href={`#${at}`}>continue</a>
      </>
    )}{' '}
    <Button class="plain" label={`Discard ${what}`} onClick={() => discard(at)}>
      Discard
    </Button>
  </p>
);
