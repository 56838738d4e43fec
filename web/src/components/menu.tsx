import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icons';

/**
 * A button that opens a menu of links and buttons. The arrow keys move between them. The menu closes after a choice,
 * on Escape, or on a click elsewhere.
 */
export function Menu({ label, children }: { label: ComponentChildren; children: ComponentChildren }) {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    isOpen.value = false;
  };
  /** Moves the focus to the next or previous entry. */
  const move = (by: number) => {
    const entries = [...(box.current?.querySelectorAll<HTMLElement>(':scope > div > :is(a, button)') ?? [])];
    const at = entries.findIndex((entry) => entry === document.activeElement);
    entries[at === -1 && by < 0 ? entries.length - 1 : (at + by + entries.length) % entries.length]?.focus();
  };
  useEffect(() => {
    if (!isOpen.value) return undefined;
    const closeOutside = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) close();
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
    };
  }, [isOpen.value]);
  return (
    <div
      class="menu"
      ref={box}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault();
          isOpen.value = true;
          // The entries of a menu that was closed are rendered first.
          requestAnimationFrame(() => move(event.key === 'ArrowDown' ? 1 : -1));
        }
        if (event.key !== 'Escape' || !isOpen.value) return;
        close();
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {label} <Icon name="chevron" size={14} />
      </button>
      {isOpen.value && <div onClick={close}>{children}</div>}
    </div>
  );
}
