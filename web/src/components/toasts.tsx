import { dismiss, type Toast, toasts } from '../state/toast';
import { Icon } from './icons';

const takeBack = ({ id, undo }: Toast) => {
  dismiss(id);
  undo?.();
};

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map((toast) => (
      <div key={toast.id} class={`notice ${toast.tone}`}>
        {toast.text}{' '}
        {toast.undo && (
          <button type="button" class="plain" onClick={() => takeBack(toast)}>
            Undo
          </button>
        )}
        <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
          <Icon name="close" size={12} />
        </button>
      </div>
    ))}
  </div>
);
