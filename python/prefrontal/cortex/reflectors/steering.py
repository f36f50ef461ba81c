"""Words that try to steer the judge, in the ten languages most used, and marks between turns."""

from __future__ import annotations

import re

_GAP = r"[^.!?。！？।؟\n]{0,40}"
_SHORT = r"[^.!?。！？।؟\n]{0,20}"
_MOST = r"(?:\d|max|máx|макс|最高|满|अधिकतम|أقصى|সর্বোচ্চ|زیادہ)"

_ENGLISH = (
    r"\b(?:ignore|disregard|forget) (?:all |any |your |the |these |previous |prior |earlier )+"
    r"(?:instructions?|rules?|prompts?|messages?)",
    r"\b(?:set|raise|increase|change|put|make|rate|score|give)\b[^.!?\n]{0,40}"
    r"\b(?:trust|rating|score|reputation)\b[^.!?\n]{0,20}(?:\d|max|high|full)",
    r"\btrust\b[\"']?\s{0,3}[:=]\s{0,3}[+-]?\d",
    r"\b(?:system prompt|you are now|new instructions?:|as your (?:operator|developer))",
)
_INSTRUCTIONS = (
    rf"(?:忽略|无视|不要理会|忘记){_GAP}(?:指令|指示|规则|提示)",
    rf"(?:निर्देश|नियम){_GAP}(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा)",
    rf"\b(?:ignor[ae]d?|olvid[ae]|olviden|descart[ae])\b{_GAP}\b(?:instrucciones|reglas|órdenes)",
    rf"\b(?:ignore[sz]?|ignorer|oublie[sz]?)\b{_GAP}\b(?:instructions|consignes|règles)",
    rf"(?:تجاهل|انس){_GAP}(?:تعليمات|أوامر|قواعد)",
    rf"(?:নির্দেশ|নিয়ম){_GAP}(?:উপেক্ষা|ভুলে যা)",
    rf"\b(?:ignor[ae]|ignorem|esqueça|esqueçam|esquece|desconsidere)\b{_GAP}\b(?:instruções|regras)",
    rf"\b(?:игнорируй|проигнорируй|забудь)(?:те)?\b{_GAP}\b(?:инструкци|указани|правил)",
    rf"(?:ہدایات|قواعد|احکامات){_GAP}(?:نظر ?انداز|بھول جا)",
)
_TRUST = (
    rf"(?:设|调|提高|提升|改){_SHORT}信任{_SHORT}{_MOST}|信任{_SHORT}(?:设|调|提高|提升|改){_SHORT}{_MOST}",
    rf"(?:विश्वास|भरोसा|भरोसे){_SHORT}{_MOST}{_SHORT}(?:सेट|कर दो|करो|करें|बढ़ा|रखो|रखें)",
    rf"\b(?:pon|sube|aumenta|fija|ajusta|establece){_GAP}\bconfianza\b{_SHORT}{_MOST}",
    rf"\b(?:mets|mettez|fixe|fixez|augmente|augmentez|monte|montez){_GAP}\bconfiance\b{_SHORT}{_MOST}",
    rf"(?:اجعل|ارفع|اضبط){_GAP}(?:ثقة|الثقة|ثقتي|ثقتك){_SHORT}{_MOST}",
    rf"(?:বিশ্বাস|আস্থা){_SHORT}{_MOST}{_SHORT}(?:কর|সেট|বাড়া)",
    rf"\b(?:coloque|defina|aumente|ajuste|suba|ponha){_GAP}\bconfiança\b{_SHORT}{_MOST}",
    rf"\b(?:поставь|установи|подними|повысь|увеличь)(?:те)?\b{_GAP}\bдовери\w{{0,3}}\b{_SHORT}{_MOST}",
    rf"(?:اعتماد|بھروسہ|بھروسا){_SHORT}{_MOST}{_SHORT}(?:کر دو|کریں|سیٹ|بڑھا)",
)
_MARKS = (
    r"<\s?\|\s?(?:im_start|im_end|system|assistant|start_header_id)",
    r"\[\s?/?INST\s?\]",
    r"<<\s?/?SYS\s?>>",
)
_STEERING = re.compile("|".join((*_ENGLISH, *_INSTRUCTIONS, *_TRUST, *_MARKS)), re.IGNORECASE)


def steers(text: str) -> bool:
    """Whether it asks to be trusted by a number, tells to ignore the rules, or forges a turn."""
    return _STEERING.search(text) is not None
