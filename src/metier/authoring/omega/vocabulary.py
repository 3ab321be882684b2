"""The word lists that `wording` decides by. They are not complete, and are meant to grow."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


ENGLISH_VERBS = _words(
    """
    accept add adjust aggregate align analyse analyze annotate append apply archive ask assign attach bake build
    calculate call capture change chart check choose classify clean clear close cluster collect combine compare
    compile complete compose compress compute concatenate configure connect control convert copy count create crop
    cut decide decode decompress decrypt define delete deliver deploy describe detect diff display download draw
    edit embed emit encode encrypt enumerate estimate evaluate examine execute expand explain export extract fetch
    fill filter find fix flag flatten follow forecast format forward generate get give group hash highlight identify
    import index infer inform insert inspect install invoke join keep label launch list load locate log look lookup
    make map mark match measure merge mirror modify monitor move name normalise normalize notify obtain open
    optimise optimize order organise organize pack parse paste pick pin plan play plot post predict prepare preview
    print process produce profile publish pull push put query quote rank read rebuild recommend record reduce
    refresh register remove rename render reorder repair replace report request resize resolve restore retrieve
    return reverse review rewrite roll rotate round run sample save scale scan schedule score scrape search select
    send serve set shorten show simulate solve sort split start stop store stream strip submit subscribe subtract
    suggest sum summarise summarize sync tag take tell test tidy tokenise tokenize trace track train transcribe
    transform translate transpose trim turn unpack unzip update upload use validate verify view visit wait warn
    watch wrap write zip
    """
)

LIBRARIES = _words(
    """
    excelize openpyxl xlsxwriter xlrd xlwt pandas numpy scipy polars matplotlib seaborn plotly pypdf pdfplumber
    reportlab pymupdf beautifulsoup lxml selenium playwright puppeteer cheerio axios exceljs sheetjs jimp opencv
    moviepy sqlalchemy httpx aiohttp urllib tesseract nltk spacy sklearn pytorch tensorflow libvips imagemagick
    jsdom lodash
    """
)
"""Names that mean a library wherever they stand."""

AMBIGUOUS_LIBRARIES = _words("imaging pillow sharp requests pil bs4 cv2 arrow rich")
"""Names that mean a library only where a tool is named after them."""

INTERNALS = re.compile(
    r"基于\s*\S{1,30}\s*库|使用\s*\S{1,30}\s*库|调用\s*\S{1,30}\s*库|封装了"
    r"|\b(?:based on|built on|powered by|implemented (?:in|with)|uses? the \S+ library|a wrapper (?:around|of|for))\b",
    re.IGNORECASE,
)

FILLER = re.compile(
    r"功能强大|支持多种功能|多种功能|简单易用|高效便捷|非常方便|一站式|全方位|这个工具|本工具"
    r"|\b(?:powerful|robust|versatile|comprehensive|seamless(?:ly)?|easy[- ]to[- ]use|state[- ]of[- ]the[- ]art"
    r"|cutting[- ]edge|user[- ]friendly|various features|all kinds of|this tool|a tool (?:to|for|that))\b",
    re.IGNORECASE,
)

USELESS_ERRORS = frozenset(
    {
        *("错误", "出错", "出错了", "失败", "操作失败", "操作失败，请重试", "操作失败,请重试", "请重试"),
        *("未知错误", "系统错误", "内部错误"),
        *("error", "an error occurred", "failed", "failure", "operation failed", "unknown error", "internal error"),
        *("something went wrong", "operation failed, please try again", "please try again", "invalid input"),
    }
)
"""Errors that tell neither what went wrong nor what to do."""
