/** Formats a share as per cent. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Formats a share, with a dash where it was not measured. */
export function shareText(share: number | undefined): string {
  return share === undefined ? '–' : percent(share);
}

/** Formats a ratio, with a dash where it says nothing. */
export function ratio(value: number | undefined): string {
  return value?.toFixed(2) ?? '–';
}

/** Formats a count or a size. */
export function number(value: number): string {
  return value.toLocaleString('en-GB');
}

/** Formats a count with its noun, which takes an s. */
export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
