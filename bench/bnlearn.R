# Learn one table with the hill climbing of R's bnlearn, and print what it took as JSON: worker.py for R.
#
# Usage: Rscript bench/bnlearn.R TABLE.csv REPEATS
# Columns of numbers are continuous, all others are categories (a mark stands in front of each, so that none is a number).

arguments <- commandArgs(trailingOnly = TRUE)
repeats <- as.integer(arguments[2])
enough <- 5

suppressPackageStartupMessages(library(bnlearn))
table <- read.csv(arguments[1], check.names = FALSE, stringsAsFactors = TRUE, na.strings = character(0))
score <- if (is.numeric(table[[1]])) "bic-g" else "bic"

timed <- function() {
  began <- Sys.time()
  graph <- hc(table, score = score)
  list(seconds = as.numeric(Sys.time() - began, units = "secs"), arcs = arcs(graph))
}

first <- timed()
status <- if (file.exists("/proc/self/status")) readLines("/proc/self/status") else "VmHWM: 0 kB"
peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) * 1024
warm <- c()
while (length(warm) < repeats && first$seconds + sum(warm) < enough) {
  warm <- c(warm, timed()$seconds)
}

quoted <- function(names) encodeString(names, quote = "\"")
listed <- function(items) paste0("[", paste(items, collapse = ", "), "]")
pairs <- if (nrow(first$arcs)) paste0("[", quoted(first$arcs[, 1]), ", ", quoted(first$arcs[, 2]), "]") else c()
cat(sprintf(
  '{"cold": %.6f, "warm": %s, "arcs": %s, "version": "%s", "peak": %.0f}\n',
  first$seconds, listed(sprintf("%.6f", warm)), listed(pairs), packageVersion("bnlearn"), peak
))
