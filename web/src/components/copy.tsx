import { tell } from '../state/toast';
import { Button } from './layout';

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell('Copied.');
  } catch {
    tell('The browser does not let this page copy; select the text instead.', 'warn');
  }
}

/** Copies a text that is (or can be) on the page. */
export const CopyButton = ({ text, label }: { text: string; label: string }) => (
  <Button act={() => copy(text)}>{label}</Button>
);
