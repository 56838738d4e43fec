import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'uptime.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

/** The user's choice. It is kept only in this browser. */
export const theme = signal<Theme>(stored());
/** Whether this is a wall display, which is always dark. */
export const isWall = signal(false);
const systemIsDark = signal(dark.matches);

/** The theme that is shown. Charts are redrawn when it changes. */
export const shownTheme = signal<'light' | 'dark'>('light');

/** Applies the theme now, and again whenever the choice or the system setting changes. */
export function startTheme(): void {
  dark.addEventListener('change', () => {
    systemIsDark.value = dark.matches;
  });
  effect(() => {
    const isDark = isWall.value || theme.value === 'dark' || (theme.value === 'auto' && systemIsDark.value);
    shownTheme.value = isDark ? 'dark' : 'light';
    document.documentElement.dataset['theme'] = shownTheme.value;
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
      // Without storage, the choice is kept until the page is closed.
    }
  });
}
