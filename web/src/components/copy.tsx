import { showToast } from '../state/toast';
import { Button } from './layout';

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast('Copied.');
  } catch {
    showToast('Your browser blocked copying. Select the text and copy it.', 'warn');
  }
}

export const CopyButton = ({ text, label }: { text: string; label: string }) => (
  <Button onClick={() => copy(text)}>{label}</Button>
);
