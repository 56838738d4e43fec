import type { ComponentChildren } from 'preact';
import { hasShortcuts, setShortcuts } from '../state/keyboard';
import { Dialog } from './dialog';
import { Check } from './form/field';
import { Button } from './layout';

/** Keys, separated by spaces, and what they do. */
export type Shortcut = readonly [keys: string, effect: string];

/** A dialog that lists the shortcuts and can turn them off. */
export const KeyboardHelp = ({ shortcuts, onClose }: { shortcuts: readonly Shortcut[]; onClose: () => void }) => (
  <Dialog title="Keyboard" onClose={onClose}>
    <dl class="facts">
      {shortcuts.flatMap(([keys, effect]): ComponentChildren[] => [
        <dt key={effect}>
          {keys.split(' ').map((key) => (
            <span key={key}>
              <kbd>{key}</kbd>{' '}
            </span>
          ))}
        </dt>,
        <dd key={`${effect}=`}>{effect}</dd>,
      ])}
    </dl>
    <Check label="Single keys work as shortcuts" value={hasShortcuts.value} set={setShortcuts} />
    <div class="actions">
      <Button class="primary" onClick={onClose}>
        Close
      </Button>
    </div>
  </Dialog>
);
