/**
 * What a colour stands for. The colours are those of Okabe and Ito, which people with the common colour vision
 * deficiencies tell apart; a shape or a dash says the same.
 */
export const ROLES = ['ink', 'quiet', 'delete', 'swap', 'negate', 'floor', 'placebo'] as const;
export type Role = (typeof ROLES)[number];

type Scheme = Readonly<Record<Role | 'paper' | 'line', string>>;

export const LIGHT: Scheme = {
  paper: '#ffffff',
  line: '#d5d9de',
  ink: '#1d242c',
  quiet: '#5a6570',
  delete: '#0072b2',
  swap: '#c4500b',
  negate: '#00805d',
  floor: '#a3477c',
  placebo: '#6b7680',
};

export const DARK: Scheme = {
  paper: '#14181d',
  line: '#39424c',
  ink: '#e9edf1',
  quiet: '#a3afba',
  delete: '#56b4e9',
  swap: '#f0a24a',
  negate: '#2fc79a',
  floor: '#e09ac1',
  placebo: '#9aa6b2',
};

/** Rules for the classes of drawings: `f-ROLE` fills, `s-ROLE` strokes. */
export function figureCss(scheme: Scheme): string {
  const roles = ROLES.map(role => `.f-${role}{fill:${scheme[role]}}.s-${role}{stroke:${scheme[role]}}`);
  return (
    `${roles.join('')}.f-paper{fill:${scheme.paper}}.s-line{stroke:${scheme.line}}.f-line{fill:${scheme.line}}` +
    `.halo{stroke:${scheme.paper}}`
  );
}
