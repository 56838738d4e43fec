import { dismiss, toasts } from '../state/toast';
import { Icon } from './icons';

/** The messages that come and go in a corner of the page. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map((toast) => (
      <div key={toast.id} class={`notice ${toast.tone}`}>
        {toast.text}{' '}
        <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
          <Icon name="close" size={12} />
        </button>
      </div>
    ))}
  </div>
);
