// Learn tables with Tetrad, each named by a line of the standard input; answer with lines of JSON, as accuracy_worker.py.
// Usage: java -cp JARS bench/AccuracyTetrad.java ALGORITHM SCORE
// A table is a text file: the number of rows, the levels of the variables (0: continuous), and the rows.

import edu.cmu.tetrad.algcomparison.algorithm.Algorithm;
import edu.cmu.tetrad.algcomparison.algorithm.oracle.cpdag.Boss;
import edu.cmu.tetrad.algcomparison.algorithm.oracle.cpdag.Fges;
import edu.cmu.tetrad.algcomparison.score.BasisFunctionBicScore;
import edu.cmu.tetrad.algcomparison.score.BdeuScore;
import edu.cmu.tetrad.algcomparison.score.ConditionalGaussianBicScore;
import edu.cmu.tetrad.algcomparison.score.DegenerateGaussianBicScore;
import edu.cmu.tetrad.algcomparison.score.DiscreteBicScore;
import edu.cmu.tetrad.algcomparison.score.ScoreWrapper;
import edu.cmu.tetrad.algcomparison.score.SemBicScore;
import edu.cmu.tetrad.data.BoxDataSet;
import edu.cmu.tetrad.data.ContinuousVariable;
import edu.cmu.tetrad.data.DataSet;
import edu.cmu.tetrad.data.DiscreteVariable;
import edu.cmu.tetrad.data.DoubleDataBox;
import edu.cmu.tetrad.data.MixedDataBox;
import edu.cmu.tetrad.data.VerticalIntDataBox;
import edu.cmu.tetrad.graph.Edge;
import edu.cmu.tetrad.graph.Endpoint;
import edu.cmu.tetrad.graph.Graph;
import edu.cmu.tetrad.graph.Node;
import edu.cmu.tetrad.util.Parameters;
import edu.cmu.tetrad.util.RandomUtil;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

public class AccuracyTetrad {
    static ScoreWrapper score(String name) {
        switch (name) {
            case "sem-bic": return new SemBicScore();
            case "bf-bic": return new BasisFunctionBicScore();
            case "dg-bic": return new DegenerateGaussianBicScore();
            case "cg-bic": return new ConditionalGaussianBicScore();
            case "bdeu": return new BdeuScore();
            case "discrete-bic": return new DiscreteBicScore();
            default: throw new IllegalArgumentException(name);
        }
    }

    static Algorithm algorithm(String name, ScoreWrapper score) {
        return name.equals("boss") ? new Boss(score) : new Fges(score);
    }

    static DataSet table(String path) throws Exception {
        try (BufferedReader reader = Files.newBufferedReader(Path.of(path))) {
            int rows = Integer.parseInt(reader.readLine().trim());
            StringTokenizer sizes = new StringTokenizer(reader.readLine());
            List<Node> nodes = new ArrayList<>();
            List<Integer> levels = new ArrayList<>();
            while (sizes.hasMoreTokens()) {
                int size = Integer.parseInt(sizes.nextToken());
                String name = "X" + nodes.size();
                levels.add(size);
                nodes.add(size > 0 ? new DiscreteVariable(name, size) : new ContinuousVariable(name));
            }
            int n = nodes.size();
            double[][] numbers = new double[n][];
            int[][] codes = new int[n][];
            boolean continuous = true;
            boolean categorical = true;
            for (int v = 0; v < n; v++) {
                if (levels.get(v) > 0) {
                    codes[v] = new int[rows];
                    continuous = false;
                } else {
                    numbers[v] = new double[rows];
                    categorical = false;
                }
            }
            for (int row = 0; row < rows; row++) {
                StringTokenizer values = new StringTokenizer(reader.readLine());
                for (int v = 0; v < n; v++) {
                    double value = Double.parseDouble(values.nextToken());
                    if (codes[v] != null) {
                        codes[v][row] = (int) value;
                    } else {
                        numbers[v][row] = value;
                    }
                }
            }
            if (categorical) {
                return new BoxDataSet(new VerticalIntDataBox(codes), nodes);
            }
            if (continuous) {
                double[][] byRow = new double[rows][n];
                for (int row = 0; row < rows; row++) {
                    for (int v = 0; v < n; v++) {
                        byRow[row][v] = numbers[v][row];
                    }
                }
                return new BoxDataSet(new DoubleDataBox(byRow), nodes);
            }
            return new BoxDataSet(new MixedDataBox(nodes, rows, numbers, codes), nodes);
        }
    }

    static String edges(Graph graph) {
        StringBuilder directed = new StringBuilder();
        StringBuilder undirected = new StringBuilder();
        for (Edge edge : graph.getEdges()) {
            int first = Integer.parseInt(edge.getNode1().getName().substring(1));
            int second = Integer.parseInt(edge.getNode2().getName().substring(1));
            boolean toSecond = edge.getEndpoint2() == Endpoint.ARROW;
            boolean toFirst = edge.getEndpoint1() == Endpoint.ARROW;
            StringBuilder list = toSecond != toFirst ? directed : undirected;
            int tail = toFirst && !toSecond ? second : first;
            int head = tail == first ? second : first;
            list.append(list.length() > 0 ? "," : "").append("[").append(tail).append(",").append(head).append("]");
        }
        return "\"directed\": [" + directed + "], \"undirected\": [" + undirected + "]";
    }

    static double cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime() / 1e9;
    }

    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        answers.println("{\"version\": \"\"}");
        answers.flush();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            DataSet table = table(line.trim());
            RandomUtil.getInstance().setSeed(1);
            double began = cpu();
            String answer;
            try {
                answer = edges(algorithm(args[0], score(args[1])).search(table, new Parameters()));
            } catch (Throwable error) {
                String text = error.toString().replaceAll("[^A-Za-z0-9 .:]", " ");
                answer = "\"error\": \"" + text.substring(0, Math.min(200, text.length())) + "\"";
            }
            answers.println("{" + answer + ", \"cpu\": " + (cpu() - began) + "}");
            answers.flush();
        }
    }
}
