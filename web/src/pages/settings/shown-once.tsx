import type { ComponentChildren } from 'preact';
import { CopyButton } from '../../components/copy';

/** Text that is shown only once, with instructions above it and a copy button. */
export const ShownOnce = (props: { text: string; copy: string; children: ComponentChildren }) => (
  <div class="notice good once" role="status">
    <p>{props.children}</p>
    <pre tabIndex={0}>{props.text}</pre>
    <CopyButton text={props.text} label={props.copy} />
  </div>
);
