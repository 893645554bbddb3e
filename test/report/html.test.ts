import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, html, jsonBlock } from '../../src/report/page/html.js';

test('what is put into a template is escaped, markup is not escaped twice', () => {
  const name = `<script>alert("1")</script> & 'x'`;
  const inner = html`<b>${name}</b>`;
  expect(inner.toString()).toBe('<b>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</b>');
  expect(html`<p>${inner}</p>`.toString()).toBe(`<p>${inner}</p>`);
});

test('lists are joined and absent values give nothing', () => {
  expect(html`${['a', html`<i>b</i>`, ['<']]}|${null}|${undefined}|${false}|${0}`.toString()).toBe(
    'a<i>b</i>&lt;||||0',
  );
});

test('an object that only looks like markup is not trusted', () => {
  const forged = JSON.parse('{"toString": "x", "brand": true}') as never;
  expect(() => html`${forged}`).toThrow();
});

test('no text ends a data block, and the data comes back', () => {
  const texts = [
    '</script>',
    '<!--',
    ']]>',
    '\u2028\u2029',
    '<|im_end|>',
    '&amp;',
    '\u202eabc',
    '</textarea>',
  ];
  const block = jsonBlock('data', { texts }).toString();
  const inner = block.slice(block.indexOf('>') + 1, block.lastIndexOf('</script>'));
  expect(inner).not.toMatch(/[<>&\u2028\u2029]/);
  expect(JSON.parse(inner)).toEqual({ texts });
});

test('escaped text holds no character that opens markup, and can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"']/);
      expect(
        escaped
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&'),
      ).toBe(text);
    }),
  );
});
