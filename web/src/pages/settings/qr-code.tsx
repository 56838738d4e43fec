import { qrPath } from '../../logic/qr-code';

/**
 * A QR code that is drawn on this page, so that the secret isn't sent anywhere. It is black on white in every theme,
 * which scanners need.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = qrPath(text);
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width="200" height="200">
      <rect width={size} height={size} class="qr-paper" />
      <path d={path} class="qr-ink" shape-rendering="crispEdges" />
    </svg>
  );
}
