import type { Page } from 'playwright-core';
import type { Visit } from './browser';

/** The user's actions: `key n`, `paste URL`, `input Name`, `file Logo`, `click Create`. */
export interface Recorded {
  steps: string[];
  /** The pages that were shown, starting with the first one. */
  screens: string[];
}

/**
 * Records each step in the page. Typing into a field is one step, including the click into it and the Enter that
 * selects a suggestion. A key anywhere else is also one step.
 */
const WATCH = `(() => {
  let field = null;
  const isField = (element) => element.matches('select, textarea, input:not([type=checkbox], [type=radio])');
  const nameOf = (element) => {
    const control = element.closest('button, a, summary, label, input, select, textarea, [role=option]') ?? element;
    const text = control.ariaLabel ?? control.labels?.[0]?.firstChild?.textContent ?? control.textContent;
    return text.trim().replace(/\\s+/g, ' ');
  };
  const note = (what, element) => recordStep(what + ' ' + nameOf(element));
  const changed = (what) => ({ target }) => {
    if (!isField(target) || target === field) return;
    field = target;
    note(what, target);
  };
  const when = (type, listener) => addEventListener(type, listener, true);
  when('focusout', () => (field = null));
  when('pointerdown', ({ target }) => isField(target) || note('click', target));
  when('paste', changed('paste'));
  when('input', (event) => changed(event.target.type === 'file' ? 'file' : 'input')(event));
  when('keydown', ({ target, key }) => {
    const isTyping = isField(target) && (key !== 'Enter' || target.role === 'combobox' || target.type === 'textarea');
    if (!isTyping && !['Control', 'Shift', 'Tab'].includes(key)) recordStep('key ' + key);
  });
})()`;

/** Counts the user's actions in a browser window, and the pages that they need. */
export class StepRecorder {
  private recorded: Recorded = { steps: [], screens: [] };

  private constructor(private readonly page: Page) {}

  /** Call this before the first page is opened. */
  static async on({ context, page }: Visit): Promise<StepRecorder> {
    const recorder = new StepRecorder(page);
    await context.exposeFunction('recordStep', (step: string) => recorder.recorded.steps.push(step));
    await context.addInitScript(WATCH);
    page.on('framenavigated', () => recorder.shown());
    return recorder;
  }

  begin(): void {
    this.recorded = { steps: [], screens: [] };
    this.shown();
  }

  taken(): Recorded {
    return this.recorded;
  }

  /** Filters are in the query and aren't separate pages. */
  private shown(): void {
    const screen = new URL(this.page.url()).hash.replace(/^#|\?.*$/g, '');
    if (screen !== this.recorded.screens.at(-1)) this.recorded.screens.push(screen);
  }
}
