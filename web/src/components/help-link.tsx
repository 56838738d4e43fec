import type { ComponentChildren } from 'preact';
import { at } from '../api/home';

interface Props {
  /** The path of the page below `/help/`, with or without a heading. */
  page: string;
  title?: string;
  class?: string;
  children: ComponentChildren;
}

/** A link to a page of the help. It opens a new tab, so that a form keeps what the user has entered. */
export const HelpLink = ({ page, title, class: className, children }: Props) => (
  <a class={className} href={at(`/help/${page}`)} target="_blank" rel="noopener" title={title} aria-label={title}>
    {children}
  </a>
);
