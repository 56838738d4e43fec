import type { ComponentChildren } from 'preact';
import { at } from '../api/home';
import { route } from '../state/router';

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

/** The page of the help about the current page of the dashboard. The help itself knows which page that is. */
export const helpHere = (): string => `?for=${route.value.path.slice(0, 2).join('/')}`;
