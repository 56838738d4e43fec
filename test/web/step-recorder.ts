import type { Page } from 'playwright-core';
import type { Visit } from './browser';

/** What a person did: `key n`, `paste URL`, `input Name`, `file Logo`, `click Create`. */
export interface Recorded {
  steps: string[];
  /** Pages that were shown, from the one where it began. */
  screens: string[];
}

/**
 * Notes each step in the page itself. What is typed into one field is one step, with the click into it and the Enter that
 * chooses a suggestion; a key anywhere else is one, too.
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

/** Counts what a person does in a browser window, and the pages that it takes. */
export class StepRecorder {
  private recorded: Recorded = { steps: [], screens: [] };

  private constructor(private readonly page: Page) {}

  /** Before the first page is opened. */
  static async on({ context, page }: Visit): Promise<StepRecorder> {
    const recorder = new StepRecorder(page);
    await context.exposeFunction('recordStep', (step: string) => recorder.recorded.steps.push(step));
    await context.addInitScript(WATCH);
    page.on('framenavigated', () => recorder.shown());
    return recorder;
  }

  /** Forgets what was before. */
  begin(): void {
    this.recorded = { steps: [], screens: [] };
    this.shown();
  }

  taken(): Recorded {
    return this.recorded;
  }

  /** Filters stand in the query: they are no page of their own. */
  private shown(): void {
    const screen = new URL(this.page.url()).hash.replace(/^#|\?.*$/g, '');
    if (screen !== this.recorded.screens.at(-1)) this.recorded.screens.push(screen);
  }
}
